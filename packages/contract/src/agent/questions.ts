import { z } from 'zod'
import type { CommandName } from './commands.ts'
import { FolderPart, TextFile, WrittenText } from './files.ts'
import { FoundLog } from './logs.ts'
import { RegistryChanged, RegistryPage, WholeValue } from './registry.ts'
import { MachineService, MOST_LOG_LINES, MOST_SERVICES } from './services.ts'
import { TerminalDefaults } from './shells.ts'
import { InventoryHash, MOST_PACKAGES } from './software.ts'

const ProcessName = z.string().max(255)

/** Commands that a machine answers with a `reply` frame: name -> shape of the answer. Nothing of them is kept. */
export const replies = {
  /** Its name, how many have ended, and which did not. */
  'end-process': z.object({ name: ProcessName, ended: z.int().min(0), left: z.array(z.int()).max(5000) }),
  'set-priority': z.object({ name: ProcessName }),
  'list-shells': TerminalDefaults,
  'list-services': z.object({ services: z.array(MachineService).max(MOST_SERVICES) }),
  /** As it is afterwards. */
  'control-service': MachineService,
  'set-start-type': MachineService,
  /** Of the report that has been sent before this. */
  'report-software': z.object({ hash: InventoryHash, count: z.int().min(0).max(MOST_PACKAGES) }),
  /** It has begun to look, or had already. */
  'scan-patches': z.object({}),
  'read-service-log': z.object({ lines: z.array(z.string().max(4000)).max(MOST_LOG_LINES) }),
  'read-log': FoundLog,
  /** The system has taken it on; how soon the link ends is its own matter. */
  'read-registry-key': RegistryPage,
  'read-registry-value': WholeValue,
  'change-registry': RegistryChanged,
  'change-power': z.object({}),
  /** How many packets went out. */
  'send-wake-up': z.object({ count: z.int().min(1) }),
  'list-folder': FolderPart,
  /** How many files and folders it was done to. */
  'change-file': z.object({ count: z.int().min(0) }),
  /** How many bytes are there. */
  'begin-upload': z.object({ size: z.number().min(0) }),
  'look-at-upload': z.object({ size: z.number().min(0) }),
  'drop-upload': z.object({}),
  'read-text': TextFile,
  'write-text': WrittenText,
} as const satisfies Partial<Record<CommandName, z.ZodType>>
export type QuestionName = keyof typeof replies
export type Reply<Name extends QuestionName> = z.infer<(typeof replies)[Name]>

/** A machine that has not answered after so long is not waited for. */
export const REPLY_SECONDS = 40
