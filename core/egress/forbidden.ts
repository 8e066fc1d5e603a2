/**
 * What may not be called although it looks like a public name or port.
 * Trust (GATEWAY_TRUSTED_HOSTS) opens `PRIVATE_SUFFIXES` and `PRIVATE_PORTS`, never the `NEVER_*` rows.
 */

/** Cloud metadata and orchestrator APIs: credentials for the asking. */
export const NEVER_NAMES: ReadonlySet<string> = new Set([
  "metadata",
  "metadata.google.internal",
  "metadata.goog",
  "metadata.azure.com",
  "metadata.azure.internal",
  "metadata.tencentyun.com",
  "metadata.platformequinix.com",
  "metadata.packet.net",
  "instance-data",
  "instance-data.ec2.internal",
  "kubernetes",
  "kubernetes.default",
  "kubernetes.default.svc",
  "kubernetes.default.svc.cluster.local",
]);

/** The same by address, in canonical text. */
export const NEVER_ADDRESSES: ReadonlySet<string> = new Set([
  "169.254.169.254",
  "169.254.169.253",
  "169.254.170.2",
  "169.254.170.23",
  "100.100.100.200",
  "192.0.0.192",
  "168.63.129.16",
  "fd00:ec2::254",
  "fd00:ec2::23",
  "fd20:ce::254",
  "fe80::a9fe:a9fe",
]);

/** Services that answer with whatever address the name spells. */
export const NEVER_SUFFIXES = [
  "nip.io",
  "sslip.io",
  "xip.io",
  "traefik.me",
  "localtest.me",
  "lvh.me",
  "vcap.me",
  "lacolhost.com",
  "local.gd",
  "localho.st",
  "1u.ms",
  "rbndr.us",
  "rebind.it",
  "backname.io",
  "my.local-ip.co",
  "local-ip.sh",
] as const;

/** Names that mean something inside a network only. */
export const PRIVATE_SUFFIXES = [
  "local",
  "localdomain",
  "internal",
  "intranet",
  "private",
  "lan",
  "home",
  "home.arpa",
  "corp",
  "test",
  "invalid",
  "example",
  "onion",
  "localhost",
  "arpa",
  "svc",
  "cluster.local",
] as const;

/** Ports of internal services; an HTTP request to them is an attack or a mistake. */
export const PRIVATE_PORTS: ReadonlySet<number> = new Set([
  21, 22, 23, 25, 53, 69, 110, 111, 123, 135, 137, 138, 139, 143, 161, 162, 179, 389, 445, 465, 512, 513, 514, 515, 587, 623, 636, 873, 993,
  995, 1099, 1433, 1434, 1521, 2049, 2181, 2375, 2376, 2377, 2379, 2380, 3306, 3389, 4369, 5432, 5671, 5672, 5900, 5984, 5985, 5986, 6379,
  6380, 6443, 7001, 8500, 8600, 9042, 9092, 9200, 9300, 10250, 10255, 10256, 11211, 15672, 26379, 27017, 27018, 27019, 61616,
]);

/** Is this the name itself or one below it? */
export const isUnder = (name: string, suffix: string): boolean => name === suffix || name.endsWith(`.${suffix}`);
