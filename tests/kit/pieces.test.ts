import { afterEach, describe, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { type PieceServer, pieceServer } from "./pieces.ts";
import { READS_PORT } from "./reads.ts";
import { sseAnswer } from "./replay.ts";

let server: PieceServer;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server.close();
});

const opened = (port: number): Promise<Socket> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(socket));
    sockets.push(socket.setEncoding("latin1"));
  });
const received = (socket: Socket): Promise<string> => new Promise((resolve) => socket.once("data", (text) => resolve(String(text))));

/** Asks by hand, and says by hand what was read. */
async function asked(headers: Readonly<Record<string, string>>) {
  server = await pieceServer();
  const play = { cuts: 0 };
  const url = server.play(sseAnswer("abcdef", { cuts: [2, 3], headers }), () => void (play.cuts += 1));
  const { port, pathname } = new URL(url);
  const [client, reader] = await Promise.all([opened(Number(port)), opened(Number(server.env[READS_PORT]))]);
  client.write(`POST ${pathname}/chat HTTP/1.1\r\ncontent-length: 2\r\n\r\n{}`);
  return { play, client, told: (read: string) => void reader.write(`${pathname.slice(1)} ${read}\n`) };
}

describe("the piece server", () => {
  test("sends a piece when all of the one before has been read", async () => {
    const { play, client, told } = await asked({});
    expect(await received(client)).toEndWith("transfer-encoding: chunked\r\n\r\n2\r\nab\r\n");
    expect(play.cuts).toBe(0);
    told("1");
    told("1");
    expect(await received(client)).toBe("1\r\nc\r\n");
    told("1");
    expect(await received(client)).toBe("3\r\ndef\r\n0\r\n\r\n");
    expect(play.cuts).toBe(2);
  });
  test("takes the head of an answer of known length for the reading of what came with it", async () => {
    const { play, client, told } = await asked({ "content-length": "6" });
    expect(await received(client)).toEndWith("\r\n\r\nab");
    told("head");
    expect(await received(client)).toBe("c");
    expect(play.cuts).toBe(1);
  });
});
