import type { Static, TObject } from "@sinclair/typebox";
import {
  type Collection,
  GatewayError,
  type Json,
  isComparison,
  type ListQuery,
  type Records,
  type RecordStore,
  type Write,
} from "#contract";
import { omittedMembers, type Table, tableOf } from "../tables/table.ts";
import type { Alive, MemoryData } from "./data.ts";

export const memoryRecords = (data: MemoryData, alive: Alive): RecordStore => ({
  migrate: async (collections) => {
    alive();
    for (const collection of collections) tableOf(collection);
  },
  in: <S extends TObject>(collection: Collection<S>) =>
    // The records were written through this collection's type.
    recordsIn(tableIn(data, collection), collection, alive) as unknown as Records<Static<S>>,
  together: async (writes) => {
    alive();
    const before = [...new Set(writes.map((write) => tableIn(data, write.in)))].map((all) => [all, new Map(all)] as const);
    const undo = (): void => before.forEach(([all, was]) => refill(all, was));
    try {
      const holds = writes.every((write) => madeIn(tableIn(data, write.in), write));
      if (!holds) undo();
      return holds;
    } catch (thrown) {
      undo();
      throw thrown;
    }
  },
});

type Rows = Map<string, Json>;
function tableIn({ records }: MemoryData, { name }: Collection): Rows {
  const all = records.get(name) ?? new Map<string, Json>();
  records.set(name, all);
  return all;
}
function refill(all: Rows, was: ReadonlyMap<string, Json>): void {
  all.clear();
  for (const [id, row] of was) all.set(id, row);
}
function madeIn(all: Rows, write: Write): boolean {
  const writing = writesIn(all, write.in);
  if (write.kind === "insert") writing.insert(write.value);
  if (write.kind === "insertMissing") writing.insertMissing(write.values);
  if (write.kind === "update") return writing.update(write.id, write.patch, write.expect);
  return write.kind !== "remove" || all.delete(write.id);
}

const rowsOf = (collection: Collection) => {
  const table = tableOf(collection);
  const members = new Map(table.columns.map((column) => [column.name, column]));
  const columnOf = (member: string) => {
    const column = members.get(member);
    if (column === undefined) throw new TypeError(`The collection ${table.name} has no member "${member}".`);
    return column;
  };
  const matches = (where: Json): ((row: Json) => boolean) => {
    const tests = Object.entries(where).map(([member, value]) => {
      if (value === undefined) throw new TypeError(`The condition on ${table.name}.${member} has no value.`);
      if (columnOf(member).kind === "json" && value !== null)
        throw new TypeError(`The JSON member ${table.name}.${member} can only be compared with null.`);
      return (row: Json): boolean => holds(row[member], value);
    });
    return (row) => tests.every((test) => test(row));
  };
  const given = (value: Json): Json => {
    for (const member of Object.keys(value)) columnOf(member);
    return copy(value);
  };
  return { table, columnOf, matches, given };
};

function holds(found: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) return wanted.includes(found);
  if (!isComparison(wanted)) return found === wanted;
  if ("contains" in wanted) return typeof found === "string" && found.includes(wanted.contains);
  const { from = Number.NEGATIVE_INFINITY, before = Number.POSITIVE_INFINITY } = wanted;
  return typeof found === "number" && found >= from && found < before;
}

const writesIn = (all: Rows, collection: Collection) => {
  const { table, matches, given } = rowsOf(collection);
  const write = (row: Json): void => {
    const taken = conflict(table, all, row);
    if (taken) throw new GatewayError("CONFLICT", { what: `A record of ${table.name} with these values` });
    all.set(String(row["id"]), row);
  };
  const rowOf = (value: Json): Json => ({ ...Object.fromEntries(table.columns.map(({ name }) => [name, null])), ...given(value) });
  return {
    insertMissing(values: readonly Json[]): void {
      const missing = values.map(rowOf).filter(({ id }) => !all.has(String(id)));
      try {
        missing.forEach(write);
      } catch (thrown) {
        for (const { id } of missing) all.delete(String(id));
        throw thrown;
      }
    },
    insert(value: Json): void {
      const row = rowOf(value);
      if (all.has(String(row["id"]))) throw new GatewayError("CONFLICT", { what: `A record of ${table.name} with these values` });
      write(row);
    },
    update(id: string, patch: Json, expect: Json = {}): boolean {
      const row = all.get(id);
      if (row === undefined || !matches(expect)(row)) return false;
      write({ ...row, ...given(patch) });
      return true;
    },
  };
};

const recordsIn = (all: Rows, collection: Collection, alive: Alive): Records<Json> => {
  const { columnOf, matches } = rowsOf(collection);
  const writing = writesIn(all, collection);
  const omitted = omittedMembers(collection);
  const read = (row: Json, omit: readonly string[] = []): Json =>
    copy(
      Object.fromEntries(
        Object.entries(row).filter(([member, value]) => (value !== null || !omitted.has(member)) && !omit.includes(member)),
      ),
    );
  return {
    get: async (id) => {
      alive();
      const row = all.get(id);
      return row && read(row);
    },
    first: async (where) => {
      alive();
      const row = [...all.values()].find(matches(where));
      return row && read(row);
    },
    list: async ({ where = {}, orderBy, limit, offset, omit }: ListQuery<Json>) => {
      alive();
      const found = [...all.values()].filter(matches(where));
      const sorted = orderBy === undefined ? found : ordered(found, columnOf(orderBy.by).name, orderBy.direction);
      return { data: sorted.slice(offset, offset + limit).map((row) => read(row, omit)), total: found.length };
    },
    insertMissing: async (values) => {
      alive();
      writing.insertMissing(values);
    },
    insert: async (value) => {
      alive();
      writing.insert(value);
    },
    update: async (id, patch, expect) => {
      alive();
      return writing.update(id, patch, expect);
    },
    remove: async (id) => {
      alive();
      return all.delete(id);
    },
  };
};

/** A record is JSON: what is stored shares nothing with what was given. */
const copy = (value: Json): Json => JSON.parse(JSON.stringify(value)) as Json;

/** As in SQL, null is never equal to null. */
const conflict = ({ unique }: Table, all: ReadonlyMap<string, Json>, row: Json): boolean =>
  unique.some(
    (members) =>
      members.every((member) => row[member] !== null) &&
      [...all.values()].some((other) => other["id"] !== row["id"] && members.every((member) => other[member] === row[member])),
  );

/** Nulls last in both directions; ties keep the creation order, turned round when descending. */
const ordered = (rows: readonly Json[], by: string, direction: "asc" | "desc"): Json[] => {
  const sign = direction === "asc" ? 1 : -1;
  const place = new Map(rows.map((row, index) => [row, index]));
  return [...rows].sort((a, b) => {
    const [left, right] = [a[by], b[by]];
    if (left === null || right === null)
      return left === right ? sign * ((place.get(a) ?? 0) - (place.get(b) ?? 0)) : left === null ? 1 : -1;
    const difference = compare(left, right);
    return sign * (difference === 0 ? (place.get(a) ?? 0) - (place.get(b) ?? 0) : difference);
  });
};

// Members that can be ordered are all of one scalar type.
const compare = (left: unknown, right: unknown): number => {
  const [a, b] = [left as string | number, right as string | number];
  return a < b ? -1 : a > b ? 1 : 0;
};
