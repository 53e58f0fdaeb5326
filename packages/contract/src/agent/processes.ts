import { z } from 'zod'
import { Instant } from '../fields.ts'

const Pid = z
  .int()
  .min(0)
  .max(2 ** 32)
/** Distinguishes a process from a later one with the same number: its start, in the system's own unit. */
export const ProcessStart = z.string().min(1).max(64)
/** From the highest priority to the lowest, as in Unix. */
export const Nice = z.int().min(-20).max(19)
export const MAX_COMMAND = 1000
/** Processes reported per machine; the others are counted. */
export const MAX_PROCESSES = 5000
export const PROCESSES_PER_FRAME = 500

export const ListeningPort = z.object({
  protocol: z.enum(['tcp', 'udp']),
  address: z.string().max(64),
  port: z.int().min(0).max(65_535),
})
export type ListeningPort = z.infer<typeof ListeningPort>

/** Values that rarely change while a process lives. */
export const MachineProcess = z.object({
  pid: Pid,
  start: ProcessStart,
  /** 0 = none. */
  parent_pid: Pid,
  name: z.string().max(255),
  /** The full command line, cut to MAX_COMMAND characters; empty if there is none (kernel threads). */
  command: z.string().max(MAX_COMMAND),
  username: z.string().max(255),
  started_at: Instant.nullable(),
  state: z.enum(['running', 'sleeping', 'waiting', 'stopped', 'ended', 'unknown']),
  nice: Nice.nullable(),
  /** Ports that it listens on. */
  ports: z.array(ListeningPort).max(50),
})
export type MachineProcess = z.infer<typeof MachineProcess>

/** Process id, share of all processors in percent since the last sample, and memory in bytes. */
export const ProcessUse = z.tuple([Pid, z.number().min(0), z.number().min(0)])
export type ProcessUse = z.infer<typeof ProcessUse>

/** One sample of the processes of a machine, or a part of it: new and changed processes since the last sample. */
export const ProcessSample = z.object({
  /** Earlier samples are obsolete. */
  whole: z.boolean(),
  /** Further parts of the same sample follow. */
  more: z.boolean(),
  /** Replaces processes with the same id. */
  put: z.array(MachineProcess).max(PROCESSES_PER_FRAME),
  use: z.array(ProcessUse).max(MAX_PROCESSES),
  gone: z.array(Pid).max(MAX_PROCESSES),
  /** Number of processes that are not listed. */
  left_out: z.int().min(0),
  /** CPU use, and total and used memory. */
  cpu_percent: z.number().min(0),
  memory_total: z.number().min(0),
  memory_used: z.number().min(0),
  /** Why the processes cannot be listed, as a message. The sample is empty then. */
  problem: z.string().max(2000).optional(),
})
export type ProcessSample = z.infer<typeof ProcessSample>

/** Identifies a process by id and start. */
export const ProcessTarget = z.object({ pid: Pid, start: ProcessStart })
export type ProcessTarget = z.infer<typeof ProcessTarget>
