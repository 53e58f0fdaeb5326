import { Select, SimpleGrid } from '@mantine/core'
import '@mantine/core/styles/SimpleGrid.css'
import type { UseFormReturnType } from '@mantine/form'
import type { AgentDetail } from '@muster/contract/api/agents'
import { type Check, listAgentChecks } from '@muster/contract/api/checks'
import { nameCheck } from '@muster/rules/checks/check-name'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { query } from '../../../app/api/api.ts'
import { useMay } from '../../../app/api/queries.ts'
import { machineNamesQuery, namesOf } from '../../alerts/templates/template-form.ts'
import type { CheckForm } from '../check-form.ts'
import { FIELD_LABELS } from '../field-labels.ts'

interface DependencyFieldsProps {
  agent: Pick<AgentDetail, 'agent_id' | 'hostname'>
  /** The one that is edited. */
  check?: Check
  form: UseFormReturnType<CheckForm>
}

/** The check that this one depends on, of any machine: while it fails, alerts of this one are suppressed. */
export function DependencyFields({ agent, check, form }: DependencyFieldsProps) {
  const mayListAgents = useMay('can_list_agents')
  const [machine, setMachine] = useState(check?.dependency?.agent_id ?? agent.agent_id)
  const { data: machines = [] } = useQuery({ ...machineNamesQuery, enabled: mayListAgents })
  const { data: checks = [] } = useQuery(query(listAgentChecks, { params: { agent_id: machine }, query: {} }))
  const known = namesOf(machines)
  const names = known.some(({ value }) => value === machine)
    ? known
    : [...known, { value: machine, label: agent.hostname }]
  const offered = checks
    .filter(({ id }) => id !== check?.id)
    .map((one) => ({ value: `${one.id}`, label: nameCheck(one) }))
  const chosen = form.values.depends_on
  const isHidden = check?.depends_on != null && check.dependency === null && chosen === `${check.depends_on}`
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
      <Select
        label={FIELD_LABELS.depends_on}
        description="Suppress this alert while that check fails."
        placeholder="None"
        data={isHidden ? [...offered, { value: `${chosen}`, label: 'Hidden check' }] : offered}
        clearable
        clearButtonProps={{ 'aria-label': 'Clear dependency' }}
        searchable
        nothingFoundMessage="No matching check"
        {...form.getInputProps('depends_on')}
      />
      <Select
        label="Check on"
        description="A check on this machine or, for example, its router."
        data={names}
        value={machine}
        onChange={(next) => {
          if (next === null) return
          setMachine(next)
          form.setFieldValue('depends_on', null)
        }}
        searchable
        allowDeselect={false}
        nothingFoundMessage="No matching machine"
        limit={200}
      />
    </SimpleGrid>
  )
}
