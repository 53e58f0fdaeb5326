import { type CommandName, commands } from '@muster/contract/agent/commands'
import { z } from 'zod'
import {
  cancel,
  installPackage,
  installPatches,
  reportSoftware,
  runChecks,
  runCommand,
  runScript,
  runTask,
  scanPatches,
  setChecks,
} from './runs.ts'
import { type AgentCommand, describeWrongInput } from './command.ts'
import {
  cancelPower,
  changePower,
  changeRegistry,
  changeSystemTask,
  controlService,
  endProcess,
  listServices,
  listSystemTasks,
  planPower,
  readLog,
  readRegistryKey,
  readRegistryValue,
  readServiceLog,
  reportFacts,
  sendWakeUp,
  setPriority,
  setStartType,
  uninstall,
  updateAgent,
  watchMetrics,
  watchProcesses,
} from './machine.ts'
import {
  beginUpload,
  changeFile,
  dropUpload,
  endSession,
  listFolder,
  listShells,
  lookAtUpload,
  openChannel,
  readFileAccess,
  readText,
  setRemoteRules,
  writeText,
} from './remote.ts'

/** As in the contract, but definitions are parsed one by one, because a newer server may know more types. */
const Input = commands['set-tasks'].extend({ put: z.array(z.unknown()).max(200) })

const setTasks: AgentCommand = {
  isRun: false,
  check(raw) {
    const input = Input.safeParse(raw)
    if (!input.success) return { wrong: describeWrongInput(input.error) }
    return { take: ({ tasks }) => tasks.set(input.data) }
  },
}

/** Every command that a server can send to this machine. */
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
  'list-system-tasks': listSystemTasks,
  'change-system-task': changeSystemTask,
  'read-service-log': readServiceLog,
  'read-log': readLog,
  'read-registry-key': readRegistryKey,
  'read-registry-value': readRegistryValue,
  'change-registry': changeRegistry,
  'change-power': changePower,
  'plan-power': planPower,
  'cancel-power': cancelPower,
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
  'read-file-access': readFileAccess,
  'write-text': writeText,
  'update-agent': updateAgent,
  uninstall,
}
