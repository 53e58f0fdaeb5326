import { MAX_RESULTS } from '@muster/contract/agent/checks'
import {
  type CommandInput,
  commandProof,
  commands,
  CommandPayload,
  type SignedCommand,
} from '@muster/contract/agent/commands'
import type { FleetCore } from './fleet-core.ts'
import { isSignedBy } from './identity.ts'
import type { FakeMachine } from './machine.ts'
import type { PlannedRun } from './play-run.ts'

/** Verifies a command like the real agent, runs it and reports. Untrusted commands get no reply. */
export function runCommand(core: FleetCore, machine: FakeMachine, command: SignedCommand): void {
  core.counts.commands += 1
  const payload = readPayload(core, machine, command)
  if (payload === undefined) {
    core.counts.refusedCommands += 1
    return
  }
  if (core.seenNonces.has(payload.nonce)) return
  core.seenNonces.add(payload.nonce)
  switch (payload.name) {
    case 'report-facts':
      return machine.report({ kind: 'facts', facts: machine.facts() })
    case 'report-software':
      return reportSoftware(machine, payload.nonce)
    case 'watch-metrics':
    case 'watch-processes':
      // Simulated machines have no metrics of their own.
      return
    case 'end-process':
    case 'set-priority':
    case 'list-shells':
    case 'list-services':
    case 'control-service':
    case 'set-start-type':
    case 'read-service-log':
    case 'list-system-tasks':
    case 'change-system-task':
    case 'read-registry-key':
    case 'read-registry-value':
    case 'find-registry-value':
    case 'change-registry':
      return machine.reply(payload.nonce, {
        refused: 'A simulated machine has no processes, services, scheduler, shells and registry.',
      })
    case 'find-text':
    case 'put-text':
    case 'undo-push':
      return machine.reply(payload.nonce, { refused: 'A simulated machine has no files.' })
    case 'scan-patches':
      return machine.reply(payload.nonce, { refused: 'A simulated machine has no patches.' })
    case 'open-channel':
      return machine.refuseChannel(commands['open-channel'].parse(payload.input).channel)
    case 'end-session':
      return
    case 'update-agent':
      return void machine
        .update(commands['update-agent'].parse(payload.input))
        .catch((error: unknown) =>
          core.noteDialError(error instanceof Error ? error : new Error(String(error))),
        )
    case 'uninstall':
      return machine.disconnect()
    case 'cancel':
      return cancelRun(machine, commands.cancel.parse(payload.input).history_id)
    case 'set-checks':
      return setChecks(core, machine, commands['set-checks'].parse(payload.input))
    case 'set-tasks':
      machine.tasksVersion = commands['set-tasks'].parse(payload.input).version
      return machine.report({ kind: 'tasks-known', version: machine.tasksVersion })
    case 'run-task':
      return runTask(machine, commands['run-task'].parse(payload.input))
    case 'run-checks':
      return runChecks(core, machine, commands['run-checks'].parse(payload.input).ids)
    case 'install-patches':
    case 'install-package':
    case 'upgrade-package':
    case 'remove-package':
    case 'install-file':
      return refuseInstall(machine, payload.history_id)
    case 'run-command':
    case 'run-script': {
      if (payload.history_id === null) return
      const input = commands[payload.name].parse(payload.input)
      return startRun(core, machine, {
        historyId: payload.history_id,
        plan: core.plan(input, machine.hostname),
        capBytes: input.output_cap_bytes,
      })
    }
  }
}

/** Otherwise the server would wait for its end, and refuse other installations. */
function refuseInstall(machine: FakeMachine, historyId: number | null): void {
  if (historyId === null) return
  machine.report({
    kind: 'result',
    history_id: historyId,
    at: new Date().toISOString(),
    outcome: 'refused',
    reason: 'A simulated machine installs nothing.',
    retcode: null,
    execution_time: null,
    output_cut_bytes: 0,
  })
}

function reportSoftware(machine: FakeMachine, nonce: string): void {
  const report = machine.software()
  if (report === undefined)
    return machine.reply(nonce, { refused: 'A simulated machine has no software unless it is configured.' })
  machine.report(report)
  machine.reply(nonce, { answer: { hash: report.hash, count: report.inventory.packages.length } })
}

function readPayload(
  core: FleetCore,
  machine: FakeMachine,
  command: SignedCommand,
): CommandPayload | undefined {
  if (!isSignedBy(core.commandKey, commandProof(command.payload), command.signature)) return undefined
  const parsed = CommandPayload.safeParse(JSON.parse(command.payload))
  if (!parsed.success || parsed.data.agent_id !== machine.agentId) return undefined
  return Date.parse(parsed.data.expires_at) > Date.now() ? parsed.data : undefined
}

function setChecks(core: FleetCore, machine: FakeMachine, input: CommandInput<'set-checks'>): void {
  machine.checks.set(input, core.random)
  const ids = machine.checks.listMissing()
  // Missing definitions are requested if a command brings none; further commands may bring them.
  if (ids.length > 0 && input.put.length === 0)
    machine.report({ kind: 'checks-missing', version: input.version, ids })
}

function runChecks(core: FleetCore, machine: FakeMachine, ids: readonly number[] | null): void {
  const results = machine.checks.measureThese(ids, core.random).slice(0, MAX_RESULTS)
  if (results.length === 0) return
  core.counts.checkResults += results.length
  machine.report({ kind: 'checks', results })
}

/** Its tasks do nothing, and succeed. */
function runTask(machine: FakeMachine, { id, run_id, trigger }: CommandInput<'run-task'>): void {
  const at = new Date().toISOString()
  const head = { task_id: id, run_id, trigger, planned_at: null, started_at: at }
  machine.report({ kind: 'task-started', ...head })
  machine.report({ kind: 'task-result', ...head, ended_at: at, reason: null, actions: [] })
}

interface Run {
  historyId: number
  plan: PlannedRun
  capBytes: number
}

function startRun(core: FleetCore, machine: FakeMachine, { historyId, plan, capBytes }: Run): void {
  const startedMs = Date.now()
  const at = () => new Date().toISOString()
  const takeBacks: (() => void)[] = []
  let chunk = 0
  let sentBytes = 0
  let cutBytes = 0

  const say = ({ stream, text }: PlannedRun['output'][number]) => {
    const bytes = Buffer.from(text)
    const kept = bytes.subarray(0, Math.max(0, capBytes - sentBytes))
    sentBytes += kept.length
    cutBytes += bytes.length - kept.length
    if (kept.length === 0) return
    chunk += 1
    machine.report({ kind: 'output', history_id: historyId, chunk, stream, text: kept.toString() })
  }
  const end = (outcome: PlannedRun['outcome'] | 'cancelled', reason: string | null) => {
    for (const takeBack of takeBacks) takeBack()
    machine.runs.delete(historyId)
    machine.report({
      kind: 'result',
      history_id: historyId,
      at: at(),
      outcome,
      reason,
      retcode: outcome === 'exited' ? plan.retcode : null,
      execution_time: (Date.now() - startedMs) / 1000,
      output_cut_bytes: cutBytes,
    })
  }
  // Immediate work needs no timer, so that the server's own speed can be measured.
  const later = (afterMs: number, work: () => void) => {
    if (afterMs <= 0) work()
    else takeBacks.push(core.clock.after(afterMs, work))
  }

  machine.report({ kind: 'accepted', history_id: historyId, at: at() })
  machine.report({ kind: 'started', history_id: historyId, at: at() })
  machine.runs.set(historyId, () => end('cancelled', 'Cancelled while it ran.'))
  for (const piece of plan.output) later(piece.afterMs, () => say(piece))
  later(plan.endsAfterMs, () => end(plan.outcome, plan.reason))
}

function cancelRun(machine: FakeMachine, historyId: number): void {
  machine.runs.get(historyId)?.()
}
