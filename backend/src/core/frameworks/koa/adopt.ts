import Router from "@koa/router";

type Options = { sensitive?: boolean | undefined };
type Register = (
  this: { opts: Options },
  path: unknown,
  methods: unknown,
  handler: unknown,
  options?: Options,
) => unknown;

const prototype: { register: Register } = Router.prototype as never;
const { register } = prototype;

/** Paths are exact, unless a router's options say otherwise. */
prototype.register = function (path, methods, handler, options) {
  const { sensitive = this.opts.sensitive ?? true } = options ?? {};
  return register.call(this, path, methods, handler, { ...options, sensitive });
};
