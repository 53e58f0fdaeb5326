import type { AgentValues } from '@muster/contract/api/agent-values'
import { listAgentValues } from '@muster/contract/calls/agent-values'
import { type LatestMetrics, listLatestMetrics } from '@muster/contract/calls/metrics'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { query } from '../../app/api/api.ts'
import { listQuery, type MachineFilter } from './machines-query.ts'
import { type MachineMetrics, NO_METRICS, valueOf } from './sort-machines.ts'

/** Machines report once a minute by default. */
const READ_EVERY_MS = 15_000
/** Facts change rarely, and are read for all machines. */
const READ_VALUES_EVERY_MS = 60_000

/**
 * Values of these columns that are no fields of rows: processor load, memory use, and the values that the server lists
 * by name. Read while a column shows them.
 */
export function useMachineMetrics(filter: MachineFilter, columns: readonly string[]): MachineMetrics {
  const names = [...new Set(columns.flatMap((column) => valueOf(column) ?? []))].toSorted().join(',')
  const isMeasured = columns.some((column) => valueOf(column) === undefined)
  const { data: latest } = useQuery({
    ...query(listLatestMetrics, { query: listQuery(filter) }),
    ...SHARED,
    enabled: isMeasured,
    refetchInterval: READ_EVERY_MS,
    select: indexMetrics,
  })
  const { data: values } = useQuery({
    ...query(listAgentValues, { query: { ...listQuery(filter), names } }),
    ...SHARED,
    enabled: names !== '',
    refetchInterval: READ_VALUES_EVERY_MS,
    select: indexValues,
  })
  const measured = (isMeasured ? latest : undefined) ?? NO_METRICS
  const listed = (names === '' ? undefined : values) ?? NO_METRICS
  return useMemo(() => merge(measured, listed), [measured, listed])
}

const SHARED = {
  placeholderData: keepPreviousData,
  // Comparing thousands of values takes longer than indexing them.
  structuralSharing: false,
  meta: { quiet: true },
} as const

function indexMetrics(machines: readonly LatestMetrics[]): MachineMetrics {
  return new Map(machines.map((machine) => [machine.agent_id, machine]))
}

function indexValues(machines: readonly AgentValues[]): MachineMetrics {
  return new Map(
    machines.map(({ agent_id, values }) => [
      agent_id,
      Object.fromEntries(Object.entries(values).map(([name, value]) => [`value_${name}`, value])),
    ]),
  )
}

function merge(one: MachineMetrics, other: MachineMetrics): MachineMetrics {
  if (other.size === 0) return one
  if (one.size === 0) return other
  const merged = new Map(one)
  for (const [agentId, values] of other) merged.set(agentId, { ...merged.get(agentId), ...values })
  return merged
}
