import { once } from "node:events";
import { createServer } from "node:net";

/** Answers every request with terminal escapes in its status and body, and never ends. */
export async function hostileServer() {
  const server = createServer((socket) => {
    const more = () => void (socket.writable && socket.write("x".repeat(65_536), more));
    socket
      .on("error", () => {})
      .once("data", () => {
        socket.write(
          "HTTP/1.1 200 \xc2\x9b2J\r\nConnection: close\r\n\r\n\x1b]0;title\x07\x1b[31mred\x1b[0m ",
          "latin1",
        );
        more();
      });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.dispose]() {
      server.close();
    },
  };
}
