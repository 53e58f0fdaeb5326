import type { CommandName } from '@muster/contract/agent/commands'
import { cancel } from './cancel.ts'
import type { AgentCommand } from './command.ts'
import { endProcess } from './end-process.ts'
import { endSession } from './end-session.ts'
import { openChannel } from './open-channel.ts'
import { controlService } from './control-service.ts'
import { beginUpload, dropUpload, lookAtUpload } from './uploads.ts'
import { changePower } from './change-power.ts'
import { changeFile } from './change-file.ts'
import { installPackage, installPatches } from './install.ts'
import { readLog } from './read-log.ts'
import { changeRegistry, readRegistryKey, readRegistryValue } from './registry.ts'
import { readText } from './read-text.ts'
import { writeText } from './write-text.ts'
import { listFolder } from './list-folder.ts'
import { listServices } from './list-services.ts'
import { listShells } from './list-shells.ts'
import { readServiceLog } from './read-service-log.ts'
import { setRemoteRules } from './set-remote-rules.ts'
import { setStartType } from './set-start-type.ts'
import { reportFacts } from './report-facts.ts'
import { reportSoftware } from './report-software.ts'
import { scanPatches } from './scan-patches.ts'
import { runChecks } from './run-checks.ts'
import { runCommand } from './run-command.ts'
import { runScript } from './run-script.ts'
import { runTask } from './run-task.ts'
import { setChecks } from './set-checks.ts'
import { sendWakeUp } from './send-wake-up.ts'
import { setPriority } from './set-priority.ts'
import { setTasks } from './set-tasks.ts'
import { uninstall } from './uninstall.ts'
import { watchMetrics } from './watch-metrics.ts'
import { watchProcesses } from './watch-processes.ts'

/** Everything that a server may ask of this machine. */
export const commandTable: Record<CommandName, AgentCommand> = {
  'run-command': runCommand,
  'run-script': runScript,
  cancel,
  'report-facts': reportFacts,
  'report-software': reportSoftware,
  'scan-patches': scanPatches,
  'install-patches': installPatches,
  'install-package': installPackage,
  'set-checks': setChecks,
  'run-checks': runChecks,
  'set-tasks': setTasks,
  'run-task': runTask,
  'watch-metrics': watchMetrics,
  'watch-processes': watchProcesses,
  'end-process': endProcess,
  'set-priority': setPriority,
  'list-shells': listShells,
  'list-services': listServices,
  'control-service': controlService,
  'set-start-type': setStartType,
  'read-service-log': readServiceLog,
  'read-log': readLog,
  'read-registry-key': readRegistryKey,
  'read-registry-value': readRegistryValue,
  'change-registry': changeRegistry,
  'change-power': changePower,
  'send-wake-up': sendWakeUp,
  'open-channel': openChannel,
  'end-session': endSession,
  'set-remote-rules': setRemoteRules,
  'list-folder': listFolder,
  'change-file': changeFile,
  'begin-upload': beginUpload,
  'look-at-upload': lookAtUpload,
  'drop-upload': dropUpload,
  'read-text': readText,
  'write-text': writeText,
  uninstall,
}
