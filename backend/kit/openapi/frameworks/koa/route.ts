export { declaredBy as readRoute } from "../../declaration.ts";
