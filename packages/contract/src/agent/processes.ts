import { z } from 'zod'
import { Instant } from '../fields.ts'

const Pid = z
  .int()
  .min(0)
  .max(2 ** 32)
/** Tells a process from a later one with the same number: when it started, in the system's own unit. */
export const ProcessStart = z.string().min(1).max(64)
/** From the most urgent to the least, as Unix counts. */
export const Nice = z.int().min(-20).max(19)
export const MAX_COMMAND = 1000
/** As many as are told of one machine; the rest is counted. */
export const MOST_PROCESSES = 5000
export const PROCESSES_PER_FRAME = 500

export const ListeningPort = z.object({
  protocol: z.enum(['tcp', 'udp']),
  address: z.string().max(64),
  port: z.int().min(0).max(65_535),
})
export type ListeningPort = z.infer<typeof ListeningPort>

/** What seldom changes while a process lives. */
export const MachineProcess = z.object({
  pid: Pid,
  start: ProcessStart,
  /** 0 = none. */
  parent_pid: Pid,
  name: z.string().max(255),
  /** The whole command line, cut to MAX_COMMAND characters; empty where there is none, as of the kernel's threads. */
  command: z.string().max(MAX_COMMAND),
  username: z.string().max(255),
  started_at: Instant.nullable(),
  state: z.enum(['running', 'sleeping', 'waiting', 'stopped', 'ended', 'unknown']),
  nice: Nice.nullable(),
  /** What it listens on. */
  ports: z.array(ListeningPort).max(50),
})
export type MachineProcess = z.infer<typeof MachineProcess>

/** Its number, its share of all processors in percent since the look before, and the memory that it holds in bytes. */
export const ProcessUse = z.tuple([Pid, z.number().min(0), z.number().min(0)])
export type ProcessUse = z.infer<typeof ProcessUse>

/** One look at the processes of a machine, or a part of it: what is new or changed since what was told before. */
export const ProcessLook = z.object({
  /** What was told before does not count any more. */
  whole: z.boolean(),
  /** Further parts of the same look follow. */
  more: z.boolean(),
  /** Replaces what had the same number. */
  put: z.array(MachineProcess).max(PROCESSES_PER_FRAME),
  use: z.array(ProcessUse).max(MOST_PROCESSES),
  gone: z.array(Pid).max(MOST_PROCESSES),
  /** How many there are that are not told of. */
  left_out: z.int().min(0),
  /** How busy all processors are, and how much memory there is and is taken. */
  cpu_percent: z.number().min(0),
  memory_total: z.number().min(0),
  memory_used: z.number().min(0),
})
export type ProcessLook = z.infer<typeof ProcessLook>

/** A process that is meant: with this start and no other. */
export const ProcessTarget = z.object({ pid: Pid, start: ProcessStart })
export type ProcessTarget = z.infer<typeof ProcessTarget>
