import { flyTarget } from "../../../src/publish/fly/driver.ts";
import { readHistory } from "../../../src/publish/fly/machines.ts";
import { answer, emptyApp, type FakeApp } from "../flyctl.ts";
import { type Recording, recordHere } from "../recording.ts";
import { attemptFor, type Cannot, postgresSecret, quickly, shop, unanswered, type World } from "./world.ts";

export interface FlyWorld extends World {
  fly: Recording<FakeApp>;
}

export const flyCannot: Cannot = {
  lease: "Fly itself allows only one publisher at a time",
  oldSecrets: "Fly keeps only the newest value of a secret",
  failures: "machines store the history, and those of a failed release are gone",
};

/** An app on Fly, in a stand-in for flyctl. */
export async function flyWorld(): Promise<FlyWorld> {
  const fly = recordHere("flyctl", answer, emptyApp({ volumes: [{ id: "vol_1", name: "data" }] }));
  const application = shop();
  const { state } = fly;
  return {
    application,
    fly,
    secret: postgresSecret,
    unreadySecret: unanswered,
    open: async () => ({ ...(await flyTarget.open(application)), paceMs: 5 }),
    attempt: (asked) => attemptFor(application, quickly, asked),
    expireLease: async () => {},
    async crash() {
      for (const machine of state.machines)
        machine.events?.push({ type: "exit", request: { exit_event: { requested_stop: false } } });
    },
    async leftovers() {
      const live = readHistory(state.machines).at(-1)?.id;
      const secrets = state.machines.length > 0 ? [] : Object.keys(state.secrets);
      return [
        ...state.machines.filter(({ config }) => !config?.env?.["DORY_RELEASES"]?.includes(`"${live}"`)),
        ...secrets,
      ].map((one) => (typeof one === "string" ? `secret ${one}` : `machine ${one.id}`));
    },
    visible: () => JSON.stringify([fly.calls.map(({ args, env }) => [args, env]), state]),
  };
}
