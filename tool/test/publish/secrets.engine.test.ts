import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { after, before, describe, test } from "node:test";
import { change, Dory, docker, newProject, noEngine, runDory, unpublish } from "./support.ts";

const application = "dory-test-secrets";
const port = 18_181;
const first = "visibly-fake-secret-number-one";
const second = "visibly-fake-secret-number-two";
const flags = ["publish", "--port", String(port), "--watch-seconds", "0"];

describe("a secret", { skip: noEngine }, () => {
  let folder: string;
  let visible = "";
  before(async () => {
    folder = await newProject(application);
    await unpublish(folder);
    change(folder, "dory.json", (request) => (request.publish = { secrets: ["WEBHOOK_SECRET"] }));
  });
  after(() => unpublish(folder));

  const mounted = async () => {
    const volume = await docker(
      "inspect",
      "-f",
      '{{range .Mounts}}{{if eq .Destination "/run/secrets"}}{{.Name}}{{end}}{{end}}',
      await container(),
    );
    return docker("run", "--rm", "--network", "none", "-v", `${volume}:/s:ro`, "caddy:2", "cat", "/s/WEBHOOK_SECRET");
  };
  const container = () => docker("ps", "--filter", `label=dory.application=${application}`, "--format", "{{.Names}}");

  test("reaches the container as a file, and is never on a command line", async () => {
    const dory = new Dory(folder, [...flags, "--env", "WEBHOOK_SECRET"], { env: { WEBHOOK_SECRET: first } });
    const watching = setInterval(() => {
      visible += execFileSync("ps", ["-eo", "args"], { encoding: "utf8" });
    }, 100);
    const { code, stdout, stderr } = await dory.ended();
    clearInterval(watching);
    visible += stdout + stderr;
    assert.equal(code, 0, stdout + stderr);
    assert.equal(await mounted(), first);
    const env = await docker("inspect", "-f", "{{json .Config.Env}}", await container());
    assert.match(env, /"WEBHOOK_SECRET_FILE=\/run\/secrets\/WEBHOOK_SECRET"/);
  });

  test("can be read from a file or stdin; rollback restores the previous version", async () => {
    const { code, stderr } = await runDory(folder, [...flags, "--env-stdin", "--no-smoke"], {
      input: `WEBHOOK_SECRET='${second}'\n`,
    });
    assert.equal(code, 0, stderr);
    assert.equal(await mounted(), second);
    assert.equal((await runDory(folder, ["rollback", "--watch-seconds", "0"])).code, 0);
    assert.equal(await mounted(), first);
  });

  test("is in no image, history, label, log, record or output", async () => {
    const mine = ["--filter", `label=dory.application=${application}`];
    const containers = (await docker("ps", "-aq", ...mine)).split("\n");
    const volumes = (await docker("volume", "ls", "-q", ...mine)).split("\n");
    const images = new Set((await docker("images", "-q", application)).split("\n"));
    const records = `find /dory/applications/${application} /dory/proxies/${port} -type f -exec cat {} +`;
    const everything = [
      visible,
      await docker("inspect", ...containers),
      await docker("inspect", `dory-proxy-${port}`),
      await docker("inspect", ...images),
      ...(await Promise.all([...images].map((image) => docker("history", "--no-trunc", image)))),
      await docker("logs", await container()),
      await docker("logs", `dory-proxy-${port}`),
      await docker("run", "--rm", "-v", "dory:/dory:ro", "caddy:2", "sh", "-c", records),
      await docker("volume", "inspect", ...volumes),
      // All calls of the engine, also of containers that are gone.
      await docker("events", "--since", "10m", "--until", "0s"),
      (await runDory(folder, ["releases", "--json"])).stdout,
    ].join("\n");
    assert.ok(everything.includes("WEBHOOK_SECRET_FILE"));
    for (const secret of [first, second]) assert.ok(!everything.includes(secret), "a secret was found");
    for (const image of images) {
      const layers = execFileSync("sh", ["-c", `docker save ${image} | tar -xO`], { maxBuffer: 1e9 });
      for (const secret of [first, second]) assert.ok(!layers.includes(secret), "a secret is in the image");
    }
  });
});
