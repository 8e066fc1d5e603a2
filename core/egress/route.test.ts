import { expect, test } from "bun:test";
import { Routes } from "./route.ts";

test("a name in use is not looked up again because thousands of others are", async () => {
  const asked: string[] = [];
  const resolve = async (host: string): Promise<readonly string[]> => {
    asked.push(host);
    return ["8.8.8.8"];
  };
  const routes = new Routes(
    () => false,
    resolve,
    () => 0,
  );
  for (let nth = 0; nth < 4_500; nth += 1) {
    await routes.to("https://api.example.com", false);
    await routes.to(`https://other-${nth}.example.com`, false);
  }
  expect(asked.filter((host) => host === "api.example.com")).toHaveLength(1);
  await routes.to("https://other-0.example.com", false);
  expect(asked.filter((host) => host === "other-0.example.com")).toHaveLength(2); // they are not all kept
});
