import type { CheckDefinition, Measured } from '@muster/contract/agent/checks'
import { onTestFinished } from 'vitest'
import type { CheckMemory } from '../checks/table.ts'
import { CheckScripts } from '../checks/check-scripts.ts'
import { measureCheck } from '../checks/measure-check.ts'
import { linuxProbes } from '../os/linux/probes.ts'
import { os } from '../os/index.ts'
import type { Probes } from '../os/probes.ts'
import { Problems } from '../status-file.ts'
import { BackgroundRuns } from '../run/background-runs.ts'
import { KeyValueStore, State } from '../state/state.ts'
import { givenChecks } from './given-checks.ts'
import { givenFolder, givenLog } from './given.ts'

/** Measures a definition with the probes of this machine, or with those of the test. */
export function givenMeasure(probes: Partial<Probes> = {}) {
  const { log } = givenLog()
  const folder = givenFolder()
  const state = new State({ folder, log, problems: new Problems() })
  onTestFinished(() => state[Symbol.dispose]())
  const runs = new BackgroundRuns({
    name: 'check_markers',
    os,
    log,
    keyValues: new KeyValueStore(state),
    pipeFolder: folder,
  })
  const scripts = new CheckScripts({ runs, context: { os, dataFolder: folder } })
  const memory: CheckMemory = {}
  const hanging = new Set<number>()
  const abort = new AbortController()
  const measure = (check: Parameters<typeof givenChecks>[0], id = 1): Promise<Measured> => {
    const [definition] = givenChecks(check)
    // A definition of one type with another id.
    return measureCheck({ ...definition, id } as CheckDefinition, {
      probes: { ...linuxProbes, ...probes },
      scripts,
      memory,
      hanging,
      log,
      signal: abort.signal,
    })
  }
  return { measure, abort, folder, memory }
}
