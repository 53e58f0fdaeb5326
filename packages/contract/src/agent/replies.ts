import { z } from 'zod'
import type { CommandName } from './commands.ts'
import { FileAccess, FolderPart, FoundText, PutResult, TextFile, WrittenText } from './files.ts'
import { UndonePush } from './push-file.ts'
import { FoundLog } from './logs.ts'
import { FoundValue, RegistryChanged, RegistryPage, WholeValue } from './registry.ts'
import { MachineService, MAX_LOG_LINES, MAX_SERVICES } from './services.ts'
import { MAX_SYSTEM_TASKS, SystemTask } from './scheduler.ts'
import { TerminalDefaults } from './shells.ts'
import { InventoryHash, MAX_PACKAGES } from './software.ts'

const ProcessName = z.string().max(255)

/** Commands that the agent replies to with a `reply` frame: name -> shape of the reply. Replies are not stored. */
export const replies = {
  /** Name of the process, number of ended ones, and those that failed. */
  'end-process': z.object({ name: ProcessName, ended: z.int().min(0), left: z.array(z.int()).max(5000) }),
  'set-priority': z.object({ name: ProcessName }),
  'list-shells': TerminalDefaults,
  'list-services': z.object({ services: z.array(MachineService).max(MAX_SERVICES) }),
  /** The new state. */
  'control-service': MachineService,
  'set-start-type': MachineService,
  'list-system-tasks': z.object({ tasks: z.array(SystemTask).max(MAX_SYSTEM_TASKS) }),
  /** The new state. */
  'change-system-task': SystemTask,
  /** The previous report. */
  'report-software': z.object({ hash: InventoryHash, count: z.int().min(0).max(MAX_PACKAGES) }),
  /** The scan has started or was already running. */
  'scan-patches': z.object({}),
  'read-service-log': z.object({ lines: z.array(z.string().max(4000)).max(MAX_LOG_LINES) }),
  'read-log': FoundLog,
  /** The system has accepted it. The link may end at any time. */
  'read-registry-key': RegistryPage,
  'read-registry-value': WholeValue,
  'find-registry-value': FoundValue,
  'change-registry': RegistryChanged,
  'change-power': z.object({}),
  /** Its time; null = no user is signed in, so it is done at once. */
  'plan-power': z.object({ due: z.iso.datetime().nullable() }),
  'cancel-power': z.object({}),
  /** False = a user is signed in. */
  'reboot-if-nobody': z.object({ done: z.boolean() }),
  /** Number of sent packets. */
  'send-wake-up': z.object({ count: z.int().min(1) }),
  'list-folder': FolderPart,
  /** Number of affected files and folders. */
  'change-file': z.object({ count: z.int().min(0) }),
  /** Current size in bytes. */
  'begin-upload': z.object({ size: z.number().min(0) }),
  'look-at-upload': z.object({ size: z.number().min(0) }),
  'drop-upload': z.object({}),
  'read-text': TextFile,
  'read-file-access': FileAccess,
  'write-text': WrittenText,
  'find-text': FoundText,
  'put-text': PutResult,
  'undo-push': UndonePush,
} as const satisfies Partial<Record<CommandName, z.ZodType>>
export type RequestName = keyof typeof replies
export type Reply<Name extends RequestName> = z.infer<(typeof replies)[Name]>

/** Timeout of a reply. */
export const REPLY_SECONDS = 40
