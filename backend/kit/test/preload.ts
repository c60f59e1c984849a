/** The flag with which Node calls a function, by the URL of its file, before it runs anything else. */
export function preload(url: string, name: string): string {
  const call = `import { ${name} } from "${url}"; await ${name}();`;
  return `--import=data:text/javascript,${encodeURIComponent(call)}`;
}
