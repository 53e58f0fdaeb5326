import { Button, Select, SimpleGrid } from '@mantine/core'
import '@mantine/core/styles/SimpleGrid.css'
import { previewAlertTemplate } from '@muster/contract/api/alert-templates'
import type { AlertType } from '@muster/contract/api/alerts'
import { Severity } from '@muster/contract/severity'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { GuardedDialog, LoadingState } from '../../../app/dialogs/GuardedDialog.tsx'
import { query } from '../../../app/api/api.ts'
import type { AddressedDialogProps } from '../../../app/dialogs/dialogs.tsx'
import { useMay } from '../../../app/api/queries.ts'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { EmptyState } from '../../../ui/layout/States.tsx'
import { SEVERITIES, SEVERITY_LABELS } from '../alert-words.ts'
import { PreviewAnswer } from './PreviewAnswer.tsx'
import { machineNamesQuery, namesOf } from './machine-names.ts'

const TITLE = 'Preview alerts'
const TYPES = [
  { value: 'check', label: 'A check fails' },
  { value: 'task', label: 'A task fails' },
  { value: 'availability', label: 'The machine is overdue' },
  { value: 'custom', label: 'An alert of your own' },
]

/** Who would be told of an alert of the machine that `item` names, or of one that is chosen here. */
export function PreviewDialog({ item, close }: AddressedDialogProps) {
  return (
    <GuardedDialog title={TITLE} needs="can_list_alerttemplates" size="lg" onClose={close}>
      <Preview start={item} close={close} />
    </GuardedDialog>
  )
}

function Preview({ start, close }: { start: string | undefined; close: () => void }) {
  const mayListAgents = useMay('can_list_agents')
  const { data: machines = [] } = useQuery({ ...machineNamesQuery, enabled: mayListAgents })
  const [agent, setAgent] = useState(start ?? null)
  const [type, setType] = useState<AlertType>('check')
  const [chosen, setSeverity] = useState<Severity>('error')
  const severity = type === 'availability' ? 'error' : chosen
  const { data, error, refetch } = useQuery({
    ...query(previewAlertTemplate, { query: { agent: agent ?? '', alert_type: type, severity } }),
    enabled: agent !== null,
    placeholderData: keepPreviousData,
    staleTime: 0,
  })
  const names = namesOf(machines)
  const isListed = names.some(({ value }) => value === agent)
  return (
    <Dialog
      title={TITLE}
      size="lg"
      onClose={close}
      footer={
        <Button variant="default" onClick={close}>
          Close
        </Button>
      }
    >
      <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="md" mb="md">
        <Select
          label="Machine"
          placeholder="Choose a machine"
          data={
            isListed || agent === null ? names : [...names, { value: agent, label: data?.hostname ?? agent }]
          }
          value={agent}
          onChange={setAgent}
          searchable
          allowDeselect={false}
          nothingFoundMessage="No such machine"
          limit={200}
          data-autofocus
        />
        <Select
          label="What happens"
          data={TYPES}
          value={type}
          onChange={(value) => setType(TYPE_OF.get(value ?? '') ?? 'check')}
          allowDeselect={false}
        />
        <Select
          label="Severity"
          data={SEVERITIES.map((value) => ({ value, label: SEVERITY_LABELS[value] }))}
          value={severity}
          disabled={type === 'availability'}
          onChange={(value) => setSeverity(Severity.catch('error').parse(value))}
          allowDeselect={false}
        />
      </SimpleGrid>
      {agent === null ? (
        <EmptyState message="Choose a machine to see who would be told, how and why." />
      ) : error !== null || data === undefined ? (
        <LoadingState error={error} onRetry={() => void refetch()} rows={4} />
      ) : (
        <PreviewAnswer answer={data} />
      )}
    </Dialog>
  )
}

const TYPE_OF = new Map<string, AlertType>([
  ['check', 'check'],
  ['task', 'task'],
  ['availability', 'availability'],
  ['custom', 'custom'],
])
