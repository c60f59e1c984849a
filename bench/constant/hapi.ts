import Hapi from "@hapi/hapi";
import { listen, page } from "./serve.ts";

const app = Hapi.server({ autoListen: false });
app.route({
  method: "GET",
  path: "/items",
  handler: (_request, h) => h.response(page).type("application/json"),
});
app.start().then(() => listen(app.listener));
