import type { createInstaller } from '@muster/contract/api/agents'
import type { Client } from '@muster/contract/api/clients'
import type { Output } from '@muster/contract/endpoint'
import { Button } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { GuardedDialog, StateDialog } from '../../app/dialogs/GuardedDialog.tsx'
import type { AddressedDialogProps } from '../../app/dialogs/dialogs.tsx'
import { clientsQuery, useMay } from '../../app/api/queries.ts'
import { useDialog } from '../../app/dialogs/use-dialog.ts'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { EmptyState } from '../../ui/layout/States.tsx'
import { InstallChoices } from './InstallChoices.tsx'
import { InstallLine } from './InstallLine.tsx'
import { type InstallForm, checkInstallForm, findPlace } from './install-form.ts'

const TITLE = 'Install agent'

/** Makes the line that puts the agent on a machine, and waits for the machine. `item` names a site or a tree node. */
export function InstallAgentDialog({ item, close }: AddressedDialogProps) {
  const { data: clients, error, refetch } = useQuery(clientsQuery)
  return (
    <GuardedDialog title={TITLE} needs="can_install_agents" onClose={close}>
      {clients === undefined ? (
        <StateDialog title={TITLE} onClose={close} error={error} onRetry={() => void refetch()} />
      ) : clients.length === 0 ? (
        <NoClients close={close} />
      ) : (
        <InstallSteps clients={clients} item={item} close={close} />
      )}
    </GuardedDialog>
  )
}

/** A line that was made, and for where. */
export interface MadeLine extends Output<typeof createInstaller> {
  siteId: number
  siteName: string
  clientName: string
  hours: number
  foreground: boolean
  /** Machines of the site before there was a line: the others are new. Absent for who may not see machines. */
  before: ReadonlySet<string> | undefined
}

function InstallSteps({
  clients,
  item,
  close,
}: {
  clients: readonly Client[]
  item: string | undefined
  close: () => void
}) {
  const { node, tab } = useSearch({ strict: false })
  const [made, setMade] = useState<MadeLine>()
  const form = useForm<InstallForm>({
    initialValues: {
      ...findPlace(clients, item ?? node),
      agenttype: tab === 'workstation' ? 'workstation' : 'server',
      expires: 24,
      uses: 100,
      own_folder: false,
      data_folder: '',
    },
    validate: checkInstallForm,
    validateInputOnBlur: true,
  })
  if (made === undefined) {
    return <InstallChoices title={TITLE} clients={clients} form={form} onMade={setMade} onClose={close} />
  }
  return <InstallLine title={TITLE} made={made} onBack={() => setMade(undefined)} onClose={close} />
}

function NoClients({ close }: { close: () => void }) {
  const mayAdd = useMay('can_manage_clients')
  const { open } = useDialog()
  return (
    <Dialog title={TITLE} onClose={close}>
      <EmptyState
        message={
          mayAdd
            ? 'A machine belongs to a site of a client, and there is no client yet.'
            : 'There is no client that you may see, so there is no site to install an agent for.'
        }
      >
        {mayAdd && (
          <Button data-autofocus onClick={() => open('add-client')}>
            Add client
          </Button>
        )}
      </EmptyState>
    </Dialog>
  )
}
