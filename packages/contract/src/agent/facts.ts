import { z } from 'zod'

/** MAC address: six bytes in hexadecimal. */
export const MacAddress = z.string().regex(/^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/, 'Invalid MAC address')

export const MAX_WAKE_ADDRESSES = 16

/** Machine data is hostile: every string is cut, every list is bounded, and everything is shown as text only. */
const Text = z.string().overwrite((text) => text.slice(0, 512))
const Line = z.string().overwrite((text) => text.slice(0, 255))
const Bytes = z.number().min(0)

export const Disk = z.object({
  device: Line,
  mount: Line,
  fstype: Line,
  total: Bytes,
  used: Bytes,
  free: Bytes,
  percent: z.number().min(0).max(100),
})
export const PhysicalDisk = z.object({ name: Line, size: Bytes, type: Line, serial: Line })
export const NetworkAddress = z.object({
  interface: Line,
  address: Line,
  family: z.enum(['ipv4', 'ipv6']),
  mac: Line,
})

export const ProtectionSubject = z.enum([
  'antivirus',
  'firewall',
  'disk_encryption',
  'tpm',
  /** Confines programs: SELinux, AppArmor, System Integrity Protection. */
  'access_control',
])
export type ProtectionSubject = z.infer<typeof ProtectionSubject>

/** A protection of the machine, such as a product, a volume or a chip. */
export const Protection = z.object({
  subject: ProtectionSubject,
  name: Line,
  /** `attention`: it protects only in part. `absent`: the machine has none. `unknown`: not read, see `detail`. */
  state: z.enum(['on', 'off', 'attention', 'absent', 'unknown']),
  /** The system's own terms; for `unknown` a sentence that says why. */
  detail: Text,
})
export type Protection = z.infer<typeof Protection>

/** Guests of one runtime in a report; the rest is counted. */
export const MAX_GUESTS = 200

/** A container or a virtual machine. */
export const Guest = z.object({
  name: Line,
  /** Empty for virtual machines. */
  image: Line,
  state: z.enum(['running', 'paused', 'restarting', 'stopped', 'failed', 'unknown']),
  /** Such as its health, or the exit code of one that failed. */
  detail: Line,
})
export type Guest = z.infer<typeof Guest>

/** A runtime that is installed on the machine, with its guests. */
export const GuestHost = z.object({
  runtime: z.enum(['docker', 'podman', 'libvirt']),
  /** Why its guests could not be listed, as a message. */
  problem: Text.nullable(),
  guests: z.array(Guest).max(MAX_GUESTS),
  left_out: z.int().min(0),
})
export type GuestHost = z.infer<typeof GuestHost>

const Count = z.int().min(0)
/** How many entries of each list did not fit into the report. */
export const LeftOut = z
  .object({ cpus: Count, graphics: Count, disks: Count, physical_disks: Count, addresses: Count })
  .partial()

/** All facts of a machine. A report contains those that changed. */
export const AgentFacts = z.object({
  hostname: z
    .string()
    .min(1)
    .overwrite((text) => text.slice(0, 255)),
  platform: z.enum(['windows', 'linux', 'darwin']),
  arch: Line,
  os_name: Line,
  os_version: Line,
  /** Unix seconds. */
  boot_time: z.number(),
  logged_in_user: Line.nullable(),
  last_logged_in_user: Line.nullable(),
  total_ram: Bytes,
  cpus: z.array(Line).max(64),
  graphics: z.array(Line).max(16),
  disks: z.array(Disk).max(128),
  physical_disks: z.array(PhysicalDisk).max(128),
  addresses: z.array(NetworkAddress).max(256),
  /** Absent: none, or not reported by this agent. */
  left_out: LeftOut.optional(),
  make: Line,
  model: Line,
  serial_number: Line,
  /** An IANA name, or an offset such as `+05:45` where the zone has no known name. */
  time_zone: Line,
  needs_reboot: z.boolean(),
  agent_version: Line,
  /** Problems of the agent itself, as messages: a full disk, no temporary folder. */
  problems: z.array(Text).max(20),
  /** Each subject that the system has is there at least once, read or not. Absent: not reported by this agent. */
  security: z.array(Protection).max(64).optional(),
  /** Empty if no runtime is installed. Absent: not reported by this agent. */
  guests: z.array(GuestHost).max(8).optional(),
})
export type AgentFacts = z.infer<typeof AgentFacts>
