import '@mantine/core/styles/Radio.css'
import { Radio, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { turnOnAvailability } from '@muster/contract/api/agents'
import { editCoreSettings } from '@muster/contract/api/settings'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { FormDialog } from '../../app/dialogs/FormDialog.tsx'
import { GuardedDialog, StateDialog } from '../../app/dialogs/GuardedDialog.tsx'
import { call } from '../../app/api/api.ts'
import type { AddressedDialogProps } from '../../app/dialogs/use-dialog.ts'
import { useLive } from '../../app/live/live.ts'
import { notifyDone } from '../../app/shell/notify.ts'
import { useMay } from '../../app/api/queries.ts'
import { settingsQuery } from '../settings/settings-query.ts'
import { countUnalerted } from './Overdue.tsx'

const TITLE = 'Turn on availability alerts'

/** Turns on alerting for overdue machines: for all servers, or for these machines only. */
export function AvailabilityDialog({ close }: AddressedDialogProps) {
  return (
    <GuardedDialog title={TITLE} needs="can_edit_agent" onClose={close}>
      <LoadedChoices close={close} />
    </GuardedDialog>
  )
}

function LoadedChoices({ close }: { close: () => void }) {
  const mayRead = useMay('can_view_core_settings')
  const mayEdit = useMay('can_edit_core_settings')
  const isAsking = mayRead && mayEdit
  const { data, error, refetch } = useQuery({ ...settingsQuery, enabled: isAsking })
  if (isAsking && data === undefined) {
    return <StateDialog title={TITLE} onClose={close} error={error} onRetry={() => void refetch()} />
  }
  return <Choices offersServers={data?.availability_alerts_servers === false} close={close} />
}

function Choices({ offersServers, close }: { offersServers: boolean; close: () => void }) {
  const queryClient = useQueryClient()
  const counts = useLive((state) => state.counts)
  const unalerted = countUnalerted(counts)
  const servers = counts?.unalerted_server_count ?? 0
  const form = useForm({
    initialValues: { choice: offersServers && servers > 0 ? 'servers' : 'machines' },
  })
  const save = async ({ choice }: typeof form.values) => {
    if (choice === 'servers') {
      const saved = await call(editCoreSettings, { body: { availability_alerts_servers: true } })
      queryClient.setQueryData(settingsQuery.queryKey, saved)
      notifyDone('Availability alerts for servers are on.')
      return
    }
    const { changed, enforced } = await call(turnOnAvailability, {})
    notifyDone(`Availability alerts are on for ${countMachines(changed)}.${describeEnforced(enforced)}`)
  }
  return (
    <FormDialog
      title={TITLE}
      size="sm"
      form={form}
      save={save}
      submitLabel="Turn on"
      mayStayUnchanged
      onClose={close}
    >
      <Radio.Group label="Open an alert when a machine is overdue" {...form.getInputProps('choice')}>
        <Stack gap="sm" mt="sm">
          {offersServers && (
            <Radio
              size="xs"
              value="servers"
              label="All servers (default setting)"
              description={`${servers} of ${countMachines(unalerted)} without alerting. Includes new servers.`}
            />
          )}
          <Radio
            size="xs"
            value="machines"
            label={`Only the ${countMachines(unalerted)} overdue now`}
            description={describeTypes(servers, unalerted - servers)}
          />
        </Stack>
      </Radio.Group>
    </FormDialog>
  )
}

const countMachines = (count: number) => `${count} ${count === 1 ? 'machine' : 'machines'}`

function describeTypes(servers: number, workstations: number): string {
  const parts = [
    ...(servers > 0 ? [`${servers} ${servers === 1 ? 'server' : 'servers'}`] : []),
    ...(workstations > 0 ? [`${workstations} ${workstations === 1 ? 'workstation' : 'workstations'}`] : []),
  ]
  return parts.join(', ')
}

function describeEnforced(enforced: number): string {
  return enforced === 0 ? '' : ` Still off by an enforced policy: ${countMachines(enforced)}.`
}
