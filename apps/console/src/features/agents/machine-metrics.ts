import { type LatestMetrics, listLatestMetrics } from '@muster/contract/calls/metrics'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { query } from '../../app/api/api.ts'
import { listQuery, type MachineFilter } from './machines-query.ts'
import { type MachineMetrics, NO_METRICS } from './sort-machines.ts'

/** Machines report once a minute by default. */
const READ_EVERY_MS = 15_000

/** Processor load and memory use of machines, which are no fields of their rows: read while a column shows them. */
export function useMachineMetrics(filter: MachineFilter, isWanted: boolean): MachineMetrics {
  const { data } = useQuery({
    ...query(listLatestMetrics, { query: listQuery(filter) }),
    enabled: isWanted,
    refetchInterval: READ_EVERY_MS,
    placeholderData: keepPreviousData,
    // Comparing thousands of values takes longer than indexing them.
    structuralSharing: false,
    select: indexMetrics,
    meta: { quiet: true },
  })
  return isWanted && data !== undefined ? data : NO_METRICS
}

function indexMetrics(machines: readonly LatestMetrics[]): MachineMetrics {
  return new Map(machines.map((machine) => [machine.agent_id, machine]))
}
