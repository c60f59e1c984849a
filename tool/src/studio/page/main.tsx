import { render } from "preact";
import { followChoices } from "./actions.ts";
import { followEvents } from "./events.ts";
import { isLocal } from "./state.ts";
import { Studio } from "./studio.tsx";

const root = document.getElementById("studio");
if (root) render(<Studio />, root);
followChoices();
if (isLocal) followEvents();
