import { z } from 'zod'
import { TerminalJoin, TerminalSize } from '../channels.ts'
import { DesktopRequest, VncTarget } from '../desktop.ts'
import { CheckDefinition, Secrets } from './checks.ts'
import { Signature } from './enrol.ts'
import {
  FileChange,
  FileHash,
  FileTask,
  MAX_TEXT_BYTES,
  PutText,
  RawPath,
  UploadId,
  UploadTask,
} from './files.ts'
import { Interpreter, RunAsUser, Shell, ShellRequest } from './shells.ts'
import { LogSearch, LogSource } from './logs.ts'
import { PackageFileOrder } from './package-files.ts'
import { MAX_PATCHES, PackageName, PatchGuid } from './patches.ts'
import { MacAddress, MAX_WAKE_ADDRESSES } from './facts.ts'
import { PowerAction, PowerPlan } from './power.ts'
import { Nice, ProcessTarget } from './processes.ts'
import { PushFile } from './push-file.ts'
import { RegistryChange, RegistryPosition, ValuePosition } from './registry.ts'
import { RemoteRules, RulesRevision } from './remote.ts'
import { SystemTaskAction, SystemTaskName } from './scheduler.ts'
import { MAX_LOG_LINES, ServiceAction, ServiceName, WantedStartType } from './services.ts'
import { RunId, TaskDefinition } from './tasks.ts'
import { AgentManifest } from './updates.ts'

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
  run_as_user: RunAsUser.nullable(),
  ...RunLimits,
}
const PackageCommand = z.object({ names: z.array(PackageName).min(1).max(5), ...RunLimits })

/**
 * Commands from the server to a machine: name -> input. A run is followed by `accepted`, `started`, `output` and
 * `result` reports.
 */
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
  /** Scans the installed software and reports it completely (software.ts). */
  'report-software': z.object({}),
  /** Refreshes the package lists and scans for patches; the report follows (patches.ts). */
  'scan-patches': z.object({}),
  /** A run; null = all. One installation at a time: a second one is refused. */
  'install-patches': z.object({
    guids: z.array(PatchGuid).min(1).max(MAX_PATCHES).nullable(),
    ...RunLimits,
  }),
  /** A run that installs a package by the machine's package manager: the first of these that is known. */
  'install-package': PackageCommand,
  /** As `install-package`: runs that upgrade or remove the first of these that is installed. */
  'upgrade-package': PackageCommand,
  'remove-package': PackageCommand,
  /** A run that downloads an installer from the server, checks its hash and runs it. */
  'install-file': PackageFileOrder.extend(RunLimits),
  /** A run that downloads a file from the server to a path, checks its hash and replaces the file there as a whole. */
  'push-file': PushFile.extend(RunLimits),
  /**
   * All checks of this machine, with the definitions of new ones. Others are removed. Missing definitions are
   * requested with a `checks-missing` report. Within one link, an older version than the last is ignored.
   */
  'set-checks': z.object({
    version: z.int().min(0),
    wanted: z.array(z.object({ id: z.int(), revision: z.string().max(64) })).max(5000),
    put: z.array(CheckDefinition).max(500),
  }),
  /** Runs these checks now, or all. A running check is not started twice. */
  'run-checks': z.object({ ids: z.array(z.int()).max(5000).nullable() }),
  /** All tasks of this machine, like `set-checks`. Missing definitions are requested with `tasks-missing`. */
  'set-tasks': z.object({
    version: z.int().min(0),
    wanted: z.array(z.object({ id: z.int(), revision: z.string().max(64) })).max(1000),
    put: z.array(TaskDefinition).max(200),
  }),
  /** Runs a task now. The same `run_id` runs once, even if it arrives again. */
  'run-task': z.object({ id: z.int(), run_id: RunId, trigger: z.enum(['manual', 'checkfailure']) }),
  /** Seconds of `live-metrics` frames each second from now on; 0 = stop. */
  'watch-metrics': z.object({ seconds: z.int().min(0).max(120) }),
  /** Seconds of `live-processes` frames from now on; 0 = stop. */
  'watch-processes': z.object({ seconds: z.int().min(0).max(120) }),
  /** Asks the process to exit, or kills it with `force`. With `tree`, includes its child processes. */
  'end-process': ProcessTarget.extend({ force: z.boolean(), tree: z.boolean() }),
  'set-priority': ProcessTarget.extend({ nice: Nice }),
  /**
   * Opens a channel with this number, which is new on this link. A terminal with `resume` is resumed if the same
   * author started it; otherwise a new one starts.
   */
  'open-channel': z.object({
    channel: z.int().min(1).max(0xff_ff_ff_ff),
    /** Display name of the technician, shown to the user at the machine. */
    person: z.string().max(300).optional(),
    /** The technician's reason, shown to the user at the machine in a consent request. */
    purpose: z.string().max(300).optional(),
    /** The session is recorded, and the user at the machine is notified. */
    recorded: z.boolean().optional(),
    tool: z.discriminatedUnion('tool', [
      z.object({
        tool: z.literal('terminal'),
        session: z.uuid(),
        resume: z.boolean(),
        ...TerminalSize.shape,
        ...ShellRequest.shape,
        /**
         * The session views this other one. Combined with `resume`, so that agents without viewer support open
         * nothing.
         */
        join: TerminalJoin.optional(),
      }),
      z.object({ tool: z.literal('desktop'), session: z.uuid(), ...DesktopRequest.shape }),
      z.object({ tool: z.literal('vnc'), session: z.uuid(), ...VncTarget.shape }),
      z.object({ tool: z.literal('log'), source: LogSource }),
      z.object({ tool: z.literal('files'), order: z.union([FileTask, UploadTask]) }),
    ]),
  }),
  /** The remote rules of this machine, which it stores and enforces. */
  'set-remote-rules': z.object({ revision: RulesRevision, rules: RemoteRules }),
  /** Ends a session of a remote tool, with or without a viewer. */
  'end-session': z.object({ session: z.uuid() }),
  /** The available shells, and the signed-in user. */
  'list-shells': z.object({}),
  /** All services, or one. */
  'list-services': z.object({ name: ServiceName.nullable() }),
  'control-service': z.object({ name: ServiceName, action: ServiceAction }),
  'set-start-type': z.object({ name: ServiceName, start_type: WantedStartType }),
  /** Tasks of the system's own scheduler, or one. */
  'list-system-tasks': z.object({ name: SystemTaskName.nullable() }),
  'change-system-task': z.object({ name: SystemTaskName, action: SystemTaskAction }),
  'read-service-log': z.object({ name: ServiceName, lines: z.int().min(1).max(MAX_LOG_LINES) }),
  /** A part of a folder: names after `after` that contain `search`. */
  'list-folder': z.object({
    path: RawPath,
    after: z.string().max(400).nullable(),
    search: z.string().max(255),
  }),
  'change-file': FileChange,
  /** Creates a temporary file beside the final one. */
  'begin-upload': z.object({ path: RawPath, upload: UploadId, size: z.int().min(0), replace: z.boolean() }),
  'look-at-upload': z.object({ path: RawPath, upload: UploadId }),
  'drop-upload': z.object({ path: RawPath, upload: UploadId }),
  'read-text': z.object({ path: RawPath }),
  /** Windows only. */
  'read-file-access': z.object({ path: RawPath }),
  /** Only if the text still has this hash. */
  'write-text': z.object({ path: RawPath, text: z.string().max(MAX_TEXT_BYTES), hash: FileHash }),
  /** The content and the rights of a text file, for `put-text`. */
  'find-text': z.object({ path: RawPath }),
  /** Writes or deletes a text file. */
  'put-text': PutText,
  /** Restores the file that `push-file` of this job has replaced, or deletes the one that it created. */
  'undo-push': PushFile.pick({ job: true }),
  /** The newest log entries that fit. */
  'read-log': LogSearch,
  /** A page of the Windows registry. */
  'read-registry-key': RegistryPosition,
  'read-registry-value': ValuePosition,
  /** A whole value, or that it does not exist. */
  'find-registry-value': ValuePosition,
  'change-registry': RegistryChange,
  /** At once, without a warning. */
  'change-power': z.object({ action: PowerAction }),
  /** Warns the user first. A later plan replaces an earlier one; the same one is planned once. */
  'plan-power': PowerPlan,
  'cancel-power': PowerPlan.pick({ id: true }),
  /** Restarts at once if nobody is signed in. Nothing happens otherwise. */
  'reboot-if-nobody': z.object({}),
  /** Sends a wake-up packet for these addresses to all networks of this machine. */
  'send-wake-up': z.object({ macs: z.array(MacAddress).min(1).max(MAX_WAKE_ADDRESSES) }),
  /** Installs another version of the agent. `update` reports follow. */
  'update-agent': AgentManifest,
  uninstall: z.object({}),
} as const
export type CommandName = keyof typeof commands
export type CommandInput<Name extends CommandName> = z.infer<(typeof commands)[Name]>
export const CommandName = z.enum(Object.keys(commands) as [CommandName, ...CommandName[]])

/**
 * The signed part of a command. It is sent as the exact text that was signed, so that both sides check the same
 * bytes.
 */
export const CommandPayload = z.object({
  protocol: z.literal(1),
  agent_id: z.string(),
  /** User name of the author, or `server` for its own requests. */
  author: z.string().max(200),
  issued_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
  /** Identifies the work: a machine does it once, however often the same nonce arrives. */
  nonce: z.string().min(16).max(64),
  /** Row of agent_history for the results; null if there are none. */
  history_id: z.int().nullable(),
  name: CommandName,
  input: z.unknown(),
})
export type CommandPayload = z.infer<typeof CommandPayload>

/** A command on the wire. `person_signature` is reserved for a second signature with the author's own key. */
export const SignedCommand = z.object({
  payload: z.string().max(2_000_000),
  signature: Signature,
  person_signature: Signature.nullable(),
})
export type SignedCommand = z.infer<typeof SignedCommand>

/** The text that is signed for a command payload. */
export function commandProof(payload: string): string {
  return `muster-command-1\n${payload}`
}
