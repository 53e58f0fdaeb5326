import '@mantine/core/styles/Alert.css'
import { type Client, deleteClient, deleteSite, type Site } from '@muster/contract/api/clients'
import { Alert, Button, Select, Stack, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type SubmitEvent, useId, useState } from 'react'
import { call } from '../../app/api/api.ts'
import type { AddressedDialogProps } from '../../app/dialogs/use-dialog.ts'
import { FormError } from '../../app/dialogs/FormDialog.tsx'
import { notifyDone } from '../../app/shell/notify.ts'
import { useRefresh } from '../../app/shell/use-refresh.ts'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { ClientsDialog, GoneDialog } from './ClientsDialog.tsx'
import { filterSites, groupSites, type SiteGroup } from './site-choices.ts'

/** Deletes the client in `item` with its sites; its machines move to a site of another client. */
export function RemoveClientDialog({ item, close }: AddressedDialogProps) {
  const title = 'Delete client'
  return (
    <ClientsDialog title={title} needs="can_manage_clients" onClose={close}>
      {(clients) => {
        const client = clients.find(({ id }) => `${id}` === item)
        if (client === undefined) return <GoneDialog title={title} what="client" onClose={close} />
        const leaving = new Set(client.sites.map(({ id }) => id))
        return (
          <RemoveNodeDialog
            title={title}
            node={client}
            what={whatGoes(client)}
            targets={groupSites(clients, leaving)}
            remove={(target) =>
              call(deleteClient, { params: { id: client.id }, query: { move_to_site: target } })
            }
            onClose={close}
          />
        )
      }}
    </ClientsDialog>
  )
}

/** Deletes the site in `item`; its machines move to another site. */
export function RemoveSiteDialog({ item, close }: AddressedDialogProps) {
  const title = 'Delete site'
  return (
    <ClientsDialog title={title} needs="can_manage_sites" onClose={close}>
      {(clients) => {
        const client = clients.find(({ sites }) => sites.some(({ id }) => `${id}` === item))
        const site = client?.sites.find(({ id }) => `${id}` === item)
        if (client === undefined || site === undefined) {
          return <GoneDialog title={title} what="site" onClose={close} />
        }
        return (
          <RemoveNodeDialog
            title={title}
            node={site}
            what={`Deletes site ${site.name} of ${client.name}.`}
            warning={lastSiteWarning(client, site)}
            targets={groupSites(clients, new Set([site.id]))}
            remove={(target) =>
              call(deleteSite, { params: { id: site.id }, query: { move_to_site: target } })
            }
            onClose={close}
          />
        )
      }}
    </ClientsDialog>
  )
}

function whatGoes({ name, sites }: Client): string {
  const [only] = sites
  if (sites.length === 1 && only) return `Deletes client ${name} with its site ${only.name}.`
  return `Deletes client ${name} with its ${sites.length} sites.`
}

// Only a warning: the user may not see all sites. The server decides.
function lastSiteWarning(client: Client, site: Site): string | undefined {
  if (client.sites.length > 1) return undefined
  return `${site.name} is the only site of ${client.name}. Add another site first, or delete the client.`
}

interface RemoveNodeDialogProps {
  title: string
  node: { name: string; agent_count: number }
  /** A sentence: what is deleted. */
  what: string
  warning?: string | undefined
  /** Sites that its machines can move to. */
  targets: readonly SiteGroup[]
  remove: (targetSiteId: number | undefined) => Promise<unknown>
  onClose: () => void
}

/** Asks for the machines' new site and for the name before a client or site is deleted. */
function RemoveNodeDialog(props: RemoveNodeDialogProps) {
  const { title, node, what, warning, targets, remove, onClose } = props
  const { name, agent_count } = node
  const formId = useId()
  const [target, setTarget] = useState<string | null>(null)
  const [typed, setTyped] = useState('')
  const { forceRefresh } = useRefresh()
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => remove(agent_count === 0 || target === null ? undefined : Number(target)),
    meta: { errorsShown: true },
    onSuccess: async () => {
      notifyDone(`Deleted ${name}.`)
      await forceRefresh()
      onClose()
    },
  })
  const isStuck = agent_count > 0 && targets.length === 0
  const hasTarget = agent_count === 0 || target !== null
  const canRemove = hasTarget && typed.trim().toLowerCase() === name.trim().toLowerCase() && !isPending
  const whyNot = isStuck
    ? 'No other site for the machines.'
    : hasTarget
      ? 'Type the name to confirm.'
      : 'Choose a site for the machines.'
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (canRemove) mutate()
  }
  return (
    <Dialog
      title={title}
      onClose={onClose}
      why={canRemove || isPending ? undefined : whyNot}
      footer={
        <>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" form={formId} color="negative" disabled={!canRemove} loading={isPending}>
            Delete
          </Button>
        </>
      }
    >
      <form id={formId} noValidate onSubmit={submit}>
        <Stack gap="md">
          {error !== null && <FormError error={error} />}
          {error === null && warning !== undefined && (
            <Alert color="warning" role="note">
              {warning}
            </Alert>
          )}
          <div>
            {what} {machinesSentence(agent_count)}
          </div>
          {isStuck ? (
            <Alert color="warning" role="note">
              No other site exists. Add one first.
            </Alert>
          ) : (
            <>
              {agent_count > 0 && (
                <Select
                  label="Move machines to"
                  placeholder="Choose a site"
                  data={[...targets]}
                  filter={filterSites}
                  searchable
                  allowDeselect={false}
                  nothingFoundMessage="No matching site"
                  value={target}
                  onChange={setTarget}
                  data-autofocus
                />
              )}
              <TextInput
                label={`Type "${name}" to confirm`}
                value={typed}
                onChange={(event) => setTyped(event.currentTarget.value)}
                autoComplete="off"
                spellCheck={false}
                data-autofocus={agent_count === 0 || undefined}
              />
            </>
          )}
        </Stack>
      </form>
    </Dialog>
  )
}

function machinesSentence(count: number): string {
  if (count === 0) return 'No machines are affected.'
  if (count === 1) return 'Its machine moves to another site with all its data.'
  return `Its ${count} machines move to another site with all their data.`
}
