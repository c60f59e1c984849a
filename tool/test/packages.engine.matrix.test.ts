import assert from "node:assert/strict";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, describe, test } from "node:test";
import { Backend } from "../../backend/kit/test/backend.ts";
import { eventually } from "../../backend/kit/test/eventually.ts";
import { newSqliteFile } from "../../backend/kit/test/sqlite.ts";
import { frameworks, later } from "../../backend/test/support/matrix.ts";
import { writeFiles } from "../src/new/write.ts";
import { addMount } from "./owner/project.ts";
import { docker, isUp, noEngine } from "./publish/support.ts";
import { project, run, temporaryFolder } from "./support.ts";

/** What an owner does with packages that need their own files, and what each path must answer then. */
interface Use {
  packages: string[];
  imports: string;
  /** Where in `src/app.ts` the code is added: before this line. */
  before: string;
  code: string;
  /** Lines that mount a module of it. */
  mount?: string[];
  files?: Record<string, string>;
  answers: Record<string, RegExp>;
  /** What an addon behind a path needs of the base image. Those of the suite have not all that Debian's libc6 has. */
  libraries?: Record<string, string>;
  /** Scripts of the project that must pass too. */
  scripts?: string[][];
}

const uses: Record<string, Use> = {
  express: {
    packages: ["swagger-ui-express", "sharp", "bcrypt", "ejs", "pug", "pino", "pino-pretty"],
    imports: `import bcrypt from "bcrypt"; import { join } from "node:path"; import pino from "pino"; import swaggerUi from "swagger-ui-express";`,
    before: "  return app;",
    code: `const log = pino({ transport: { target: "pino-pretty" } });
  app.use("/docs", swaggerUi.serve, swaggerUi.setup({ openapi: "3.1.0", info: { title: "T", version: "1" }, paths: {} }));
  app.get("/image", async (_req, res) => {
    const { default: sharp } = await import("sharp");
    const background = { r: 255, g: 0, b: 0 };
    const image = await sharp({ create: { width: 2, height: 2, channels: 3, background } }).png().toBuffer();
    res.json({ image: image.toString("latin1").slice(1, 4) });
  });
  app.get("/hash", async (_req, res) => {
    log.info("hashing");
    res.json({ same: await bcrypt.compare("visibly fake", await bcrypt.hash("visibly fake", 4)) });
  });
  app.set("views", join(import.meta.dirname, "views")).set("view engine", "ejs");
  app.get("/ejs", (_req, res) => res.render("page", { name: "you" }));
  app.get("/pug", (_req, res) => res.render("page.pug", { name: "you" }));`,
    files: { "views/page.ejs": "hello <%= name %>", "views/page.pug": "p hello #{name}" },
    answers: {
      "/docs/swagger-ui.css": /\.swagger-ui/,
      "/image": /"PNG"/,
      "/hash": /true/,
      "/ejs": /hello you/,
      "/pug": /<p>hello you/,
    },
    libraries: { "/image": "libresolv.so.2" },
  },
  fastify: {
    packages: ["@fastify/swagger", "@fastify/swagger-ui", "@fastify/view", "handlebars"],
    imports: `import swagger from "@fastify/swagger"; import ui from "@fastify/swagger-ui"; import view from "@fastify/view"; import handlebars from "handlebars";`,
    before: "  app.register(routes, { parts });",
    code: `app.register(swagger);
  app.register(ui, { routePrefix: "/docs" });
  app.register(view, { engine: { handlebars }, root: new URL("./views", import.meta.url).pathname });
  app.get("/page", (_request, reply) => reply.view("page.hbs", { name: "you" }));`,
    files: { "views/page.hbs": "hello {{name}}" },
    answers: { "/docs/static/swagger-ui.css": /\.swagger-ui/, "/docs/json": /"\/items\/\{id\}"/, "/page": /hello you/ },
  },
  hapi: {
    packages: ["hapi-swagger", "@hapi/inert", "@hapi/vision", "joi@17", "ejs"],
    imports: `import inert from "@hapi/inert"; import vision from "@hapi/vision"; import ejs from "ejs"; import * as swagger from "hapi-swagger";`,
    before: "  return server;",
    code: `await server.register([inert, vision, { plugin: swagger, options: { info: { title: "T", version: "1" } } }]);
  server.views({ engines: { ejs }, path: \`\${import.meta.dirname}/views\` });
  server.route({ method: "GET", path: "/page", handler: (_request, h) => h.view("page", { name: "you" }) });`,
    files: { "views/page.ejs": "hello <%= name %>" },
    answers: { "/documentation": /swagger-ui/, "/swaggerui/swagger-ui.css": /\.swagger-ui/, "/page": /hello you/ },
  },
  nest: {
    packages: ["@nestjs/swagger", "@nestjs/testing", "supertest", "@types/supertest"],
    imports: `import { DocumentBuilder, SwaggerModule } from "@nestjs/swagger";`,
    before: "  return app;",
    code: `SwaggerModule.setup("api", app, () => SwaggerModule.createDocument(app, new DocumentBuilder().build()));`,
    mount: ['import { CatsModule } from "./cats/cats.module.ts";', "    CatsModule,"],
    files: {
      "cats/cats.module.ts": `import { Controller, Get, Injectable, Logger, Module } from "@nestjs/common";
import { ApiOkResponse, ApiProperty } from "@nestjs/swagger";

export class Cat {
  @ApiProperty({ example: "Tom" })
  name!: string;
}

@Injectable()
export class CatsService {
  private readonly logger = new Logger(CatsService.name);

  all(): Cat[] {
    this.logger.log("all cats");
    return [{ name: "Tom" }];
  }
}

@Controller("cats")
export class CatsController {
  constructor(private readonly cats: CatsService) {}

  @Get()
  @ApiOkResponse({ type: Cat, isArray: true })
  all(): Cat[] {
    return this.cats.all();
  }
}

@Module({ controllers: [CatsController], providers: [CatsService] })
export class CatsModule {}
`,
      "../test/cats.test.ts": `import assert from "node:assert/strict";
import { test } from "node:test";
import { Test } from "@nestjs/testing";
import request from "supertest";
import { AppModule } from "../src/app.module.ts";
import { CatsController, CatsModule, CatsService } from "../src/cats/cats.module.ts";
import { openApp } from "../dory.ts";

test("a controller with its providers", async () => {
  const module = await Test.createTestingModule({ controllers: [CatsController], providers: [CatsService] }).compile();
  assert.deepEqual(module.get(CatsController).all(), [{ name: "Tom" }]);
});

test("a provider that is replaced, over HTTP", async () => {
  const building = Test.createTestingModule({ imports: [CatsModule] });
  const module = await building.overrideProvider(CatsService).useValue({ all: () => [{ name: "Fake" }] }).compile();
  const app = module.createNestApplication();
  await app.init();
  await request(app.getHttpServer()).get("/cats").expect(200, [{ name: "Fake" }]);
  await app.close();
});

test("the whole app", async () => {
  const module = await openApp((parts) => Test.createTestingModule({ imports: [AppModule.forRoot(parts)] }).compile());
  const app = module.createNestApplication();
  await app.init();
  await request(app.getHttpServer()).post("/items").send({ unknown: 1 }).expect(422, /"invalid_item"/);
  await app.close();
});
`,
    },
    answers: {
      "/api": /swagger-ui/,
      "/api/swagger-ui.css": /\.swagger-ui/,
      "/api-json": /"Cat":\{"type":"object","properties":\{"name":\{"type":"string","example":"Tom"/,
      "/cats": /Tom/,
    },
    scripts: [
      ["exec", "tsc"],
      ["test", "--", "test/cats.test.ts"],
    ],
  },
  koa: {
    packages: ["@koa/ejs", "@node-rs/argon2"],
    imports: `import { join } from "node:path"; import render from "@koa/ejs";`,
    before: "  // Without `allowedMethods()`: the server answers 405 and OPTIONS.",
    code: `render(app, { root: join(import.meta.dirname, "views"), layout: false, viewExt: "html", cache: false });
  router.get("/page", async (ctx) => {
    await ctx.render("page", { name: "you" });
  });
  router.get("/hash", async (ctx) => {
    const { hash, verify } = await import("@node-rs/argon2");
    ctx.body = { same: await verify(await hash("visibly fake"), "visibly fake") };
  });`,
    files: { "views/page.html": "hello <%= name %>" },
    answers: { "/page": /hello you/, "/hash": /true/ },
    libraries: { "/hash": "librt.so.1" },
  },
  hono: {
    packages: ["@resvg/resvg-js"],
    imports: "",
    before: "  return (",
    code: `app.get("/image", async (c) => {
    const { Resvg } = await import("@resvg/resvg-js");
    const image = new Resvg('<svg xmlns="http://www.w3.org/2000/svg" width="2" height="2"/>').render().asPng();
    return c.json({ image: image.toString("latin1").slice(1, 4) });
  });`,
    answers: { "/image": /"PNG"/ },
    libraries: { "/image": "librt.so.1" },
    scripts: [["exec", "tsc"]],
  },
  elysia: {
    packages: ["bufferutil"],
    imports: `import bufferutil from "bufferutil";`,
    before: "      // Mount your routes below: then a typed client has them, too.",
    code: `    .get("/unmask", () => {
        const bytes = Buffer.from("xnt");
        bufferutil.unmask(bytes, Buffer.from([1, 1, 1, 1]));
        return { bytes: String(bytes) };
      })`,
    answers: { "/unmask": /you/ },
  },
  h3: {
    packages: ["sodium-native", "classic-level"],
    imports: `import { ClassicLevel } from "classic-level"; import { tmpdir } from "node:os"; import { join } from "node:path"; import sodium from "sodium-native";`,
    before: '  app.mount("", routes(parts));',
    code: `app.get("/random", () => {
    const bytes = Buffer.alloc(8);
    sodium.randombytes_buf(bytes);
    return { length: bytes.length };
  });
  app.get("/level", async () => {
    const level = new ClassicLevel(join(tmpdir(), \`level-\${process.pid}\`));
    await level.put("name", "you");
    const name = await level.get("name");
    await level.close();
    return { name };
  });`,
    answers: { "/random": /8/, "/level": /you/ },
  },
};

describe("packages that need their own files work", { concurrency: 1, skip: later }, () => {
  for (const [framework, use] of Object.entries(uses).filter(([name]) => frameworks.some((one) => one === name)))
    describe(`in ${framework}`, () => {
      const folder = temporaryFolder();
      const tag = `dory-test-packages-${framework}`;
      after(async () => {
        if (noEngine) return;
        await docker("rm", "-f", "-v", tag).catch(() => {});
        await docker("rmi", "-f", tag).catch(() => {});
      });

      test(`where only dist is: ${use.packages.join(", ")}`, async () => {
        writeFiles(folder, project({ framework, database: "sqlite", features: ["item-routes"] }));
        addTo(folder, use);
        await run(folder, "npm", "install", "--no-audit", "--no-fund", ...use.packages);
        await run(folder, "npm", "run", "build");
        const elsewhere = temporaryFolder();
        cpSync(join(folder, "dist"), elsewhere, { recursive: true });
        const own = ["sh", "-c", `exec "$0" --enable-source-maps '${elsewhere}/main.cjs'`];
        using backend = await Backend.start({ DATABASE_URL: await newSqliteFile() }, own);
        await answers(backend.url, use);
        for (const script of use.scripts ?? []) await run(folder, "npm", ...script);
      });

      test("in the image, with a read-only root", { skip: noEngine }, async (context) => {
        await run(folder, "docker", "build", "-q", "-t", tag, ".");
        await docker("run", "-d", "--name", tag, "--read-only", "--tmpfs", "/tmp", "-p", "127.0.0.1::3000", tag);
        const url = `http://${(await docker("port", tag, "3000")).split("\n")[0]}`;
        await eventually(() => isUp(url), "the container to answer");
        const isMissing = await Promise.all(
          Object.entries(use.libraries ?? {}).map(async ([path, name]) => !(await hasLibrary(tag, name)) && path),
        );
        const missing = isMissing.filter((path) => path !== false);
        for (const path of missing)
          context.diagnostic(
            `${path} is not tried: this base image has no ${use.libraries?.[path]}, which Debian's libc6 has`,
          );
        const tried = Object.entries(use.answers).filter(([path]) => !missing.includes(path));
        await answers(url, { ...use, answers: Object.fromEntries(tried) });
      });
    });
});

function addTo(folder: string, { imports, before, code, mount = [], files = {} }: Use): void {
  const path = join(folder, "src/app.ts");
  const text = readFileSync(path, "utf8");
  assert.ok(text.includes(`\n${before}\n`), text);
  writeFileSync(path, `${imports}\n${text.replace(`\n${before}\n`, `\n  ${code}\n${before}\n`)}`);
  addMount(folder, mount);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, "src", name)), { recursive: true });
    writeFileSync(join(folder, "src", name), content);
  }
}

async function hasLibrary(tag: string, name: string): Promise<boolean> {
  const code = `console.log(process.getBuiltinModule("fs").globSync("/{lib,usr/lib}/*/${name}").length)`;
  return (await docker("exec", tag, "/nodejs/bin/node", "-e", code)) !== "0";
}

async function answers(url: string, { answers }: Use): Promise<void> {
  for (const [path, expected] of Object.entries(answers)) {
    const answer = await fetch(url + path);
    const text = await answer.text();
    assert.equal(answer.status, 200, `${path}: ${text}`);
    assert.match(text, expected, path);
  }
}
