import { z } from 'zod'
import { TerminalJoin, TerminalSize } from '../channels.ts'
import { DesktopWish, VncTarget } from '../desktop.ts'
import { CheckDefinition, Secrets } from './checks.ts'
import { Signature } from './enrol.ts'
import { FileChange, FileHash, FileTask, MOST_TEXT_BYTES, RawPath, UploadId, UploadTask } from './files.ts'
import { Interpreter } from './interpreter.ts'
import { LogSearch, LogSource } from './logs.ts'
import { PackageName, PatchGuid, MOST_PATCHES } from './patches.ts'
import { MacAddress, MOST_WAKE_ADDRESSES, PowerAction } from './power.ts'
import { Nice, ProcessTarget } from './processes.ts'
import { RegistryChange, RegistryPlace, ValuePlace } from './registry.ts'
import { RemoteRules, RulesRevision } from './remote-rules.ts'
import { MOST_LOG_LINES, ServiceAction, ServiceName, WantedStartType } from './services.ts'
import { Shell } from './shell.ts'
import { ShellWish } from './shells.ts'
import { RunId, TaskDefinition } from './tasks.ts'

const EnvVars = z.array(z.string().max(10_000)).max(200)
const RunLimits = {
  timeout_seconds: z.int().min(1).max(86_400),
  output_cap_bytes: z
    .int()
    .min(1)
    .max(64 * 1024 * 1024),
}
const RunOptions = {
  env_vars: EnvVars,
  /** User to run as; null = the agent's own. */
  run_as_user: z.string().max(64).nullable(),
  ...RunLimits,
}

/** What a server may ask of a machine: name -> input. A run is followed by `accepted`, `started`, `output` and `result` reports. */
export const commands = {
  'run-command': z.object({
    shell: Shell,
    custom_shell: z.string().max(1000).nullable(),
    cmd: z.string().max(100_000),
    ...RunOptions,
  }),
  'run-script': z.object({
    interpreter: Interpreter,
    body: z.string().max(1_000_000),
    args: z.array(z.string().max(10_000)).max(200),
    secrets: Secrets.optional(),
    ...RunOptions,
  }),
  cancel: z.object({ history_id: z.int() }),
  'report-facts': z.object({}),
  /** What is installed is listed anew and reported whole (software.ts). */
  'report-software': z.object({}),
  /** Lists of what may be installed are fetched anew; the report comes when it has looked (patches.ts). */
  'scan-patches': z.object({}),
  /** A run; null = all. One installation at a time: a second is refused. */
  'install-patches': z.object({
    guids: z.array(PatchGuid).min(1).max(MOST_PATCHES).nullable(),
    ...RunLimits,
  }),
  /** A run that installs a package of the system's repositories, of which the first that is known there is taken. */
  'install-package': z.object({ names: z.array(PackageName).min(1).max(5), ...RunLimits }),
  /**
   * The checks of this machine: all that are wanted, and the definitions of those that are new. What is not wanted is
   * forgotten; what is wanted and not known is asked for by a `checks-missing` report. An older version than one that
   * came over the same link is ignored.
   */
  'set-checks': z.object({
    version: z.int().min(0),
    wanted: z.array(z.object({ id: z.int(), revision: z.string().max(64) })).max(5000),
    put: z.array(CheckDefinition).max(500),
  }),
  /** Runs these checks now, or all; one that is running is not begun a second time. */
  'run-checks': z.object({ ids: z.array(z.int()).max(5000).nullable() }),
  /** The tasks of this machine, as `set-checks` has its checks; what is lacking is asked for by `tasks-missing`. */
  'set-tasks': z.object({
    version: z.int().min(0),
    wanted: z.array(z.object({ id: z.int(), revision: z.string().max(64) })).max(1000),
    put: z.array(TaskDefinition).max(200),
  }),
  /** Runs a task now; the same `run_id` runs once, however often it comes. */
  'run-task': z.object({ id: z.int(), run_id: RunId, trigger: z.enum(['manual', 'checkfailure']) }),
  /** The machine is measured each second for so long from now on, and `live-metrics` frames tell of it; 0 = no more. */
  'watch-metrics': z.object({ seconds: z.int().min(0).max(120) }),
  /** The processes are looked at each second or so for so long from now on, `live-processes` frames tell; 0 = no more. */
  'watch-processes': z.object({ seconds: z.int().min(0).max(120) }),
  /** It is asked to end, or with `force` made to; with `tree` also all that it has started. */
  'end-process': ProcessTarget.extend({ force: z.boolean(), tree: z.boolean() }),
  'set-priority': ProcessTarget.extend({ nice: Nice }),
  /**
   * Opens a channel with this number, which is new on this link. A terminal with `resume` is gone on with if the same
   * author began it; otherwise one begins.
   */
  'open-channel': z.object({
    channel: z.int().min(1).max(0xff_ff_ff_ff),
    /** Who comes, as the person at the machine is told. */
    person: z.string().max(300).optional(),
    /** Why, as the person at the machine is told when asked. */
    purpose: z.string().max(300).optional(),
    /** What the window shows is recorded, which the person at the machine is told. */
    recorded: z.boolean().optional(),
    tool: z.discriminatedUnion('tool', [
      z.object({
        tool: z.literal('terminal'),
        session: z.uuid(),
        resume: z.boolean(),
        ...TerminalSize.shape,
        ...ShellWish.shape,
        /** The session is a visit to this other one. With `resume`, so that who does not know of visits opens nothing. */
        join: TerminalJoin.optional(),
      }),
      z.object({ tool: z.literal('desktop'), session: z.uuid(), ...DesktopWish.shape }),
      z.object({ tool: z.literal('vnc'), session: z.uuid(), ...VncTarget.shape }),
      z.object({ tool: z.literal('log'), source: LogSource }),
      z.object({ tool: z.literal('files'), order: z.union([FileTask, UploadTask]) }),
    ]),
  }),
  /** What holds for remote tools on this machine from now on; kept, and enforced by the machine. */
  'set-remote-rules': z.object({ revision: RulesRevision, rules: RemoteRules }),
  /** Ends a tool's session, whether somebody looks at it or not. */
  'end-session': z.object({ session: z.uuid() }),
  /** Which shells there are, and who is signed in. */
  'list-shells': z.object({}),
  /** All services, or one. */
  'list-services': z.object({ name: ServiceName.nullable() }),
  'control-service': z.object({ name: ServiceName, action: ServiceAction }),
  'set-start-type': z.object({ name: ServiceName, start_type: WantedStartType }),
  'read-service-log': z.object({ name: ServiceName, lines: z.int().min(1).max(MOST_LOG_LINES) }),
  /** A part of a folder: what comes after `after`, and has `search` in its name. */
  'list-folder': z.object({
    path: RawPath,
    after: z.string().max(400).nullable(),
    search: z.string().max(255),
  }),
  'change-file': FileChange,
  /** A file for the bytes is made beside the one that they become. */
  'begin-upload': z.object({ path: RawPath, upload: UploadId, size: z.int().min(0), replace: z.boolean() }),
  'look-at-upload': z.object({ path: RawPath, upload: UploadId }),
  'drop-upload': z.object({ path: RawPath, upload: UploadId }),
  'read-text': z.object({ path: RawPath }),
  /** Only if it still is the text that this hash is of. */
  'write-text': z.object({ path: RawPath, text: z.string().max(MOST_TEXT_BYTES), hash: FileHash }),
  /** The newest entries of the system's log that fit. */
  'read-log': LogSearch,
  /** A page of the registry of Windows. */
  'read-registry-key': RegistryPlace,
  'read-registry-value': ValuePlace,
  'change-registry': RegistryChange,
  'change-power': z.object({ action: PowerAction }),
  /** Sends the packet that wakes a machine which has one of these addresses, to all networks of this one. */
  'send-wake-up': z.object({ macs: z.array(MacAddress).min(1).max(MOST_WAKE_ADDRESSES) }),
  uninstall: z.object({}),
} as const
export type CommandName = keyof typeof commands
export type CommandInput<Name extends CommandName> = z.infer<(typeof commands)[Name]>
export const CommandName = z.enum(Object.keys(commands) as [CommandName, ...CommandName[]])

/**
 * The signed part of a command. It crosses the wire as the exact text that was signed, so that both sides
 * check the same bytes.
 */
export const CommandPayload = z.object({
  protocol: z.literal(1),
  agent_id: z.string(),
  /** User name of the person, or `server` for its own chores. */
  author: z.string().max(200),
  issued_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
  /** Identifies the work: a machine does it once, however often it is sent with the same nonce. */
  nonce: z.string().min(16).max(64),
  /** Row of agent_history that results belong to; null for chores. */
  history_id: z.int().nullable(),
  name: CommandName,
  input: z.unknown(),
})
export type CommandPayload = z.infer<typeof CommandPayload>

/** A command on the wire. `person_signature` is room for a second signature, by the author's own key. */
export const SignedCommand = z.object({
  payload: z.string().max(2_000_000),
  signature: Signature,
  person_signature: Signature.nullable(),
})
export type SignedCommand = z.infer<typeof SignedCommand>

/** Text that is signed for a command payload. */
export function commandProof(payload: string): string {
  return `muster-command-1\n${payload}`
}
