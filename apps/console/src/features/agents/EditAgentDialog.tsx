import '@mantine/core/styles/NumberInput.css'
import '@mantine/core/styles/Fieldset.css'
import '@mantine/core/styles/Alert.css'
import {
  Alert,
  Button,
  Checkbox,
  Fieldset,
  Group,
  NumberInput,
  Select,
  Stack,
  TextInput,
} from '@mantine/core'
import { useForm, type UseFormReturnType } from '@mantine/form'
import { type AgentDetail, editAgent, getAgent } from '@muster/contract/api/agents'
import type { CustomField } from '@muster/contract/api/custom-fields'
import { ApiError } from '@muster/contract/client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { listAudit } from '@muster/contract/api/audit'
import { FormDialog } from '../../app/dialogs/FormDialog.tsx'
import { GuardedDialog } from '../../app/dialogs/GuardedDialog.tsx'
import { call, query } from '../../app/api/api.ts'
import { queryKey } from '../../app/api/query-key.ts'
import type { AddressedDialogProps } from '../../app/dialogs/use-dialog.ts'
import { clientsQuery, useMay } from '../../app/api/queries.ts'
import { filterSites, groupSites } from '../clients/site-choices.ts'
import { listTimeZones } from '../setup/time-zones.ts'
import { FieldInputs, WithFields } from '../custom-fields/FieldInputs.tsx'
import { changedBody, changedInputs, checkInputs } from '../custom-fields/field-values.ts'
import { Time } from '../../ui/layout/Time.tsx'
import { TagInput } from '../tags/TagInput.tsx'
import { AgentDialog } from './AgentItemDialog.tsx'
import {
  type AgentForm,
  checkAgentForm,
  describeChanges,
  readAgentForm,
  SHELL_CHOICES,
  toAgentChanges,
} from './agent-form.ts'
import { patchMachine } from './use-live-machines.ts'
import { OVERDUE_ALERTS } from './overdue-alerts.ts'

/** Settings of the machine in the address. */
export function EditAgentDialog({ item, close }: AddressedDialogProps) {
  return (
    <GuardedDialog title="Edit machine" needs="can_edit_agent" onClose={close}>
      <AgentDialog title="Edit machine" agentId={item} onClose={close}>
        {(agent) => (
          <WithFields model="agent" title="Edit machine" onClose={close}>
            {(fields) => <EditForm agent={agent} fields={fields} close={close} />}
          </WithFields>
        )}
      </AgentDialog>
    </GuardedDialog>
  )
}

interface EditFormProps {
  agent: AgentDetail
  fields: readonly CustomField[]
  close: () => void
}

function EditForm({ agent: opened, fields, close }: EditFormProps) {
  const queryClient = useQueryClient()
  // The form keeps its initial values while others change the machine; the server reports conflicts.
  const [agent, setAgent] = useState(opened)
  const [conflict, setConflict] = useState<AgentDetail>()
  const { data: clients = [] } = useQuery(clientsQuery)
  const form = useForm<AgentForm>({
    initialValues: readAgentForm(agent, fields),
    validate: (values) => ({
      ...checkAgentForm(values),
      ...checkInputs(fields, values.fields, readAgentForm(agent, fields).fields),
    }),
    validateInputOnBlur: true,
  })
  const params = { agent_id: agent.agent_id }
  const save = async (values: AgentForm) => {
    try {
      const start = readAgentForm(agent, fields)
      const body = {
        ...toAgentChanges(values, start),
        ...changedBody(fields, values.fields, start.fields),
        modified: agent.modified,
      }
      const saved = await call(editAgent, { params, body })
      queryClient.setQueryData(queryKey(getAgent, { params }), saved)
      const {
        agent_id,
        description,
        tags,
        overdue_dashboard_alert,
        overdue_email_alert,
        overdue_text_alert,
      } = saved
      const overdue = { overdue_dashboard_alert, overdue_email_alert, overdue_text_alert }
      patchMachine(queryClient, { agent_id, description, tags, ...overdue })
    } catch (error) {
      if (error instanceof ApiError && error.code === 'changed_meanwhile') {
        setConflict(await queryClient.fetchQuery({ ...query(getAgent, { params }), staleTime: 0 }))
      }
      throw error
    }
  }
  return (
    <FormDialog
      title={`Edit ${agent.hostname}`}
      form={form}
      save={save}
      done={`${agent.hostname} saved.`}
      onClose={close}
    >
      {conflict && (
        <EditConflict
          before={agent}
          now={conflict}
          onReload={() => {
            // The user's own changes stay; all other values become the current ones.
            const [mine, start, now] = [
              form.getValues(),
              readAgentForm(agent, fields),
              readAgentForm(conflict, fields),
            ]
            form.setInitialValues(now)
            form.setValues({
              ...now,
              ...pickForm(mine, Object.keys(toAgentChanges(mine, start))),
              fields: { ...now.fields, ...changedInputs(mine.fields, start.fields) },
            })
            form.clearErrors()
            setAgent(conflict)
            setConflict(undefined)
          }}
        />
      )}
      <Stack gap="md">
        <Select
          label="Site"
          data={groupSites(clients, new Set())}
          filter={filterSites}
          searchable
          allowDeselect={false}
          nothingFoundMessage="No matching site"
          {...form.getInputProps('site')}
        />
        <Select label="Type" data={TYPES} allowDeselect={false} {...form.getInputProps('monitoring_type')} />
        <TextInput
          label="Description"
          maxLength={255}
          data-autofocus
          {...form.getInputProps('description')}
        />
        <TagInput label="Tags" inherited={inheritedTags(agent)} {...form.getInputProps('own_tags')} />
        <Select
          label="Time zone"
          description={`Used on screen and as {{agent.time_zone}} in scripts. Empty: the machine's own${agent.timezone === '' ? '' : `, ${agent.timezone}`}.`}
          data={listTimeZones()}
          searchable
          clearable
          nothingFoundMessage="No matching time zone"
          {...form.getInputProps('time_zone')}
        />
        <Select
          label="Shell for commands"
          description="Default for commands."
          data={SHELL_CHOICES[agent.plat === 'windows' ? 'windows' : 'unix']}
          allowDeselect={false}
          {...form.getInputProps('default_shell')}
        />
        {form.values.default_shell === 'custom' && (
          <TextInput
            label="Shell path"
            placeholder="/usr/bin/zsh"
            classNames={{ input: 'mono' }}
            maxLength={255}
            {...form.getInputProps('default_shell_custom')}
          />
        )}
        <Group grow align="flex-start" gap="md">
          <WholeNumber label="Offline after" suffix=" min" {...form.getInputProps('offline_time')} />
          <WholeNumber label="Overdue after" suffix=" min" {...form.getInputProps('overdue_time')} />
        </Group>
        <OverdueFields agent={agent} form={form} />
        <WholeNumber label="Check interval" suffix=" s" {...form.getInputProps('check_interval')} />
        <FieldInputs fields={fields} form={form} />
      </Stack>
    </FormDialog>
  )
}

/** Tags of its client and of rules, which are edited there. */
function inheritedTags({ tags, own_tags }: AgentDetail): string[] {
  return tags.filter((name) => !own_tags.includes(name))
}

const TYPES = [
  { value: 'server', label: 'Server' },
  { value: 'workstation', label: 'Workstation' },
]

function WholeNumber(props: { label: string; suffix: string }) {
  return <NumberInput allowDecimal={false} clampBehavior="none" {...props} />
}

function pickForm(values: AgentForm, names: readonly string[]): Partial<AgentForm> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)))
}

interface OverdueFieldsProps {
  agent: AgentDetail
  form: UseFormReturnType<AgentForm>
}

/** Notifications when the machine is overdue. Those set by its alert template are read-only. */
function OverdueFields({ agent, form }: OverdueFieldsProps) {
  const { effective_alert_template: template } = agent
  return (
    <Fieldset legend="When overdue" variant="unstyled" p={0} m={0}>
      <Stack gap="sm">
        {OVERDUE_ALERTS.map(({ field, fixedBy, label }) => {
          const fixed = template?.[fixedBy] ?? null
          if (template !== null && fixed !== null) {
            const reason = `Set by the alert template ${template.name}.`
            return (
              <Checkbox key={field} label={label} description={reason} checked={fixed} disabled readOnly />
            )
          }
          if (field === 'overdue_dashboard_alert') {
            return (
              <Select
                key={field}
                label={label}
                data={choicesOf(agent)}
                allowDeselect={false}
                {...form.getInputProps('availability_alerts')}
              />
            )
          }
          return <Checkbox key={field} label={label} {...form.getInputProps(field, { type: 'checkbox' })} />
        })}
      </Stack>
    </Fieldset>
  )
}

/** The default's meaning is known while the machine follows it. */
function choicesOf({ availability_alerts: own, overdue_dashboard_alert: isOn }: AgentDetail) {
  return [
    { value: 'default', label: own === 'default' ? `Default (${isOn ? 'on' : 'off'})` : 'Default' },
    { value: 'on', label: 'On' },
    { value: 'off', label: 'Off' },
  ]
}

interface EditConflictProps {
  /** As it was when the form was opened. */
  before: AgentDetail
  now: AgentDetail
  onReload: () => void
}

/** A conflict: who saved, what changed, and how to continue. */
function EditConflict({ before, now, onReload }: EditConflictProps) {
  const changes = describeChanges(before, now)
  return (
    <Alert color="warning" mb="md" title="Another user has changed this machine">
      <LastEditor agentId={now.agent_id} />
      {changes.length > 0 && (
        <ul>
          {changes.map(({ label, from, to }) => (
            <li key={label}>
              {label}: {from} → {to}
            </li>
          ))}
        </ul>
      )}
      <Button variant="default" mt="sm" onClick={onReload}>
        Use the new values
      </Button>
    </Alert>
  )
}

/** The audit log knows who saved, for users who may read it. */
function LastEditor({ agentId }: { agentId: string }) {
  const mayRead = useMay('can_view_auditlogs')
  const body = {
    pagination: { rowsPerPage: 1, page: 1, sortBy: 'entry_time' as const, descending: true },
    agentFilter: [agentId],
    actionFilter: ['modify' as const],
  }
  const { data } = useQuery({ ...query(listAudit, { body }), enabled: mayRead, staleTime: 0 })
  const [entry] = data?.audit_logs ?? []
  if (entry === undefined) return null
  return (
    <div>
      {entry.username}, <Time instant={entry.entry_time} relative />
    </div>
  )
}
