import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { later } from "../../../backend/test/support/matrix.ts";
import { hasBuildKit, keepsProvenance } from "../../src/publish/builder.ts";
import { type BuiltService, buildImage, createBuildTag, removeBuildTags } from "../../src/publish/image.ts";
import { pinImage } from "../../src/publish/pin.ts";
import { pushImage, pushProvenance } from "../../src/publish/push.ts";
import { run, temporaryFolder } from "../support.ts";
import { docker, newProject, noEngine, noRegistry, registry, runDory } from "./support.ts";
import { shop } from "./target/world.ts";

const application = "dory-test-repeat";
const base = "gcr.io/distroless/nodejs26-debian13:nonroot";

/** The push, which fails, names images by their ids, so each image that was built has a line. */
const built = async () => {
  const all = await docker("images", "--format", "{{.Repository}}:{{.Tag}}", "--filter", "reference=localhost:1/x/*");
  return all.split("\n").filter((line) => line.includes(application));
};

async function build(folder: string, env = {}): Promise<void> {
  const flags = ["publish", "--port", "18185", "--no-smoke", "--registry", "localhost:1/x"];
  const { stderr } = await runDory(folder, flags, { env });
  assert.match(stderr, /\(registry_unreachable\)/);
}

/** A docker that builds everything again. */
function withoutCache(): NodeJS.ProcessEnv {
  const folder = temporaryFolder();
  const real = execFileSync("sh", ["-c", "command -v docker"], { encoding: "utf8" }).trim();
  const script = `#!/bin/sh\nif [ "$1" = build ]; then shift; set -- build --no-cache "$@"; fi\nexec '${real}' "$@"\n`;
  writeFileSync(join(folder, "docker"), script);
  chmodSync(join(folder, "docker"), 0o755);
  return { PATH: `${folder}:${process.env["PATH"]}` };
}

describe("a project that did not change", { skip: noEngine || later }, () => {
  let folder: string;
  before(async () => {
    folder = await newProject(application);
  });
  after(async () => {
    for (const tag of await built()) await docker("rmi", tag);
  });

  test("makes the same image again, also without a cache where the builder can", async () => {
    await build(folder);
    await build(folder);
    assert.equal((await built()).length, 1);
    if (!(await hasBuildKit())) return;
    await build(folder, withoutCache());
    assert.equal((await built()).length, 1);
  });

  test("has an image with labels for its base and its commit, and a list of its packages", async () => {
    const [image = ""] = await built();
    const labels = JSON.parse(await docker("inspect", "-f", "{{json .Config.Labels}}", image));
    const [, digest] = (await pinImage(base)).split("@");
    assert.equal(labels["org.opencontainers.image.base.name"], base);
    assert.equal(labels["org.opencontainers.image.base.digest"], digest);
    assert.match(labels["org.opencontainers.image.revision"], /^[0-9a-f]{40}$/);
    const show = 'process.stdout.write(require("fs").readFileSync("/app/sbom.cdx.json"))';
    const { bomFormat, components } = JSON.parse(
      await docker("run", "--rm", "--entrypoint", "/nodejs/bin/node", image, "-e", show),
    );
    assert.equal(bomFormat, "CycloneDX");
    assert.ok(components.some(({ purl }: { purl: string }) => purl.startsWith("pkg:npm/hono@")));
  });
});

const noLayers =
  noEngine || later || (!(await hasBuildKit()) && "the classic builder does not use the date of a commit");

describe("a project with a new commit", { skip: noLayers }, () => {
  test("does not install its packages again", async () => {
    const name = "dory-test-layers";
    const folder = await newProject(name);
    const [app, service] = [shop(name), { ...shop(name).services[0], folder } as BuiltService];
    const tag = createBuildTag();
    const build = async () => {
      const lines: string[] = [];
      await buildImage(app, service, tag, (line) => lines.push(line), new AbortController().signal);
      return lines;
    };
    await build();
    // The date of a commit has seconds.
    await sleep(1100);
    const author = ["-c", "user.name=test", "-c", "user.email=test@localhost"];
    await run(folder, "git", ...author, "commit", "-q", "--allow-empty", "-m", "Next");
    const lines = await build();
    const [, step] = lines.map((line) => /^(#\d+) \[build .*npm ci/.exec(line)).find((found) => found) ?? [];
    assert.ok(step !== undefined && lines.includes(`${step} CACHED`), lines.join("\n"));
    await removeBuildTags(app, tag);
  });
});

const noProvenance =
  noEngine || later || (await noRegistry()) || (!(await keepsProvenance()) && "the engine keeps no provenance");

describe("an image in a registry", { skip: noProvenance }, () => {
  test("has provenance, and the same digest if it is built again", async () => {
    const folder = await newProject("dory-test-provenance");
    const [app, service] = [shop("dory-test-provenance"), { ...shop("api").services[0], folder } as BuiltService];
    const { signal } = new AbortController();
    const publish = async () => {
      const id = await buildImage(app, service, createBuildTag(), () => {}, signal);
      const pushed = await pushImage(registry, app.name, service.name, id);
      await pushProvenance(service, pushed, signal);
      return pushed;
    };
    const first = await publish();
    const [repository, digest = ""] = first.split("@");
    const tag = `${repository}:${digest.slice("sha256:".length, "sha256:".length + 12)}`;
    const read = async (...args: string[]) => JSON.parse(await docker("buildx", "imagetools", "inspect", tag, ...args));
    assert.equal(await docker("image", "inspect", "-f", "{{.Id}}", first), digest);
    const index = await read("--raw");
    assert.equal(index.manifests[0].digest, digest);
    assert.equal(index.manifests[1].annotations["vnd.docker.reference.digest"], digest);
    const { SLSA } = await read("--format", "{{json .Provenance}}");
    assert.match(JSON.stringify(SLSA), /distroless/);
    // The address of the source may contain a password.
    assert.doesNotMatch(JSON.stringify(SLSA), /"vcs"|localdir:vcs/);
    assert.equal(await publish(), first);
  });
});

describe("an image's digest", { skip: noEngine || later }, () => {
  test("is returned if the engine knows it", async () => {
    const known = JSON.parse(await docker("inspect", "-f", "{{json .RepoDigests}}", "caddy:2"));
    assert.equal(await pinImage("caddy:2"), known?.[0] ?? "caddy:2");
    for (const unknown of ["localhost:1/no/such:image", `caddy@sha256:${"0".repeat(64)}`, "--help"])
      assert.equal(await pinImage(unknown), unknown);
  });
});
