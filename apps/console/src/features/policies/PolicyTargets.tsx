import { MultiSelect, Select, Stack, TagsInput } from '@mantine/core'
import '@mantine/core/styles/Pill.css'
import '@mantine/core/styles/PillsInput.css'
import { listAgents } from '@muster/contract/api/agents'
import type { MaintenanceWindow } from '@muster/contract/api/maintenance'
import { findTargetProblem } from '@muster/rules/agents/machine-target'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { query } from '../../app/api/api.ts'
import { clientsQuery } from '../../app/api/queries.ts'
import { filterTargets, groupTargets } from '../maintenance/target-choices.ts'
import { Section } from '../../ui/layout/Section.tsx'
import classes from './Policies.module.css'
import type { SectionProps } from './policy-draft.ts'
import * as policyTargets from './policy-targets.ts'

const DEFAULTS = [
  { value: '', label: 'Off' },
  { value: 'all', label: 'All' },
  { value: 'server', label: 'Servers' },
  { value: 'workstation', label: 'Workstations' },
]
const SLOTS = DEFAULTS.slice(1).map(({ value }) => ({
  value,
  label: value === 'all' ? 'servers and workstations' : `${value}s only`,
}))
type Known = { type: string; id: number | string; name: string }[]

/** The machines that a policy applies to, and its exclusions. */
export function PolicyTargets({ draft, change, disabled, known }: SectionProps & { known: Known }) {
  const groups = useChoices(known)
  const labels = new Map(groups.flatMap(({ items }) => items.map(({ value, label }) => [value, label])))
  const chosen = draft.targets.filter(policyTargets.isLocation)
  const searches = draft.targets.flatMap((target) => (target.level === 'search' ? [target.search] : []))
  const slot = policyTargets.defaultSlot(draft)
  const problem = searches.map(findTargetProblem).find((sentence) => sentence !== undefined)
  const common = {
    data: [...groups],
    filter: filterTargets,
    searchable: true,
    hidePickedOptions: true,
    nothingFoundMessage: 'No matches',
    disabled,
  }
  return (
    <Section title="Assigned to">
      <Stack gap="md">
        <MultiSelect
          label="Clients, sites and machines"
          description="Closer assignments win: machine, then site, then client."
          {...common}
          value={chosen.map(policyTargets.locationKey)}
          onChange={(keys) => change({ targets: policyTargets.withLocations(draft.targets, keys) })}
        />
        {chosen.some(({ level }) => level !== 'agent') && (
          <ul className="plain-list" aria-label="Machine type">
            {chosen.map((target) =>
              target.level === 'agent' ? null : (
                <li key={policyTargets.locationKey(target)} className={classes.line}>
                  <bdi className={classes.lineText}>
                    {labels.get(policyTargets.locationKey(target)) ?? target.level}
                  </bdi>
                  <Select
                    aria-label={`Machines of ${labels.get(policyTargets.locationKey(target)) ?? target.level}`}
                    data={SLOTS}
                    allowDeselect={false}
                    disabled={disabled}
                    value={target.monitoring_type ?? 'all'}
                    onChange={(value) =>
                      change({
                        targets: policyTargets.withSlot(
                          draft.targets,
                          policyTargets.locationKey(target),
                          toSlot(value),
                        ),
                      })
                    }
                  />
                </li>
              ),
            )}
          </ul>
        )}
        <TagsInput
          label="Searches"
          description="Machines that match now or later. Press Enter to add a search."
          disabled={disabled}
          error={problem}
          value={searches}
          onChange={(next) => change({ targets: policyTargets.withSearches(draft.targets, next) })}
        />
        <Select
          label="Apply to all machines"
          data={DEFAULTS}
          allowDeselect={false}
          disabled={disabled}
          value={slot === undefined ? '' : (slot ?? 'all')}
          onChange={(value) =>
            change({
              targets: policyTargets.withDefault(draft.targets, value === '' ? undefined : toSlot(value)),
            })
          }
        />
        <MultiSelect
          label="Except"
          description="Clients, sites and machines to exclude"
          {...common}
          value={policyTargets.exclusionKeys(draft)}
          onChange={(keys) => change(policyTargets.readExclusions(keys))}
        />
      </Stack>
    </Section>
  )
}

function toSlot(value: string | null): policyTargets.Slot {
  return value === 'server' || value === 'workstation' ? value : null
}

function useChoices(known: Known) {
  const { data: clients = [] } = useQuery(clientsQuery)
  const { data: machines = [] } = useQuery({
    ...query(listAgents, { query: { detail: 'false' } }),
    gcTime: 0,
  })
  return useMemo(
    // From the policy itself, whose types are these three.
    () => groupTargets(clients, machines, known as MaintenanceWindow['targets']),
    [clients, machines, known],
  )
}
