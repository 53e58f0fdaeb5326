import { Select, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { type Client, type Site, createSite, editSite, listClients } from '@muster/contract/api/clients'
import { useQueryClient } from '@tanstack/react-query'
import { FormDialog } from '../../app/FormDialog.tsx'
import { call } from '../../app/api.ts'
import type { AddressedDialogProps } from '../../app/dialogs.tsx'
import { queryKey } from '../../app/query-key.ts'
import { useRefresh } from '../../app/use-refresh.ts'
import { ClientsDialog, GoneDialog } from './ClientsDialog.tsx'
import { checkName } from './check-name.ts'

/** A new site; `item` names the client that it is for. */
export function AddSiteDialog({ item, close }: AddressedDialogProps) {
  return (
    <ClientsDialog title="Add site" needs="can_manage_sites" onClose={close}>
      {(clients) => <AddSiteForm clients={clients} clientId={item} close={close} />}
    </ClientsDialog>
  )
}

/** Renames the site that `item` names, or moves it with its machines to another client. */
export function EditSiteDialog({ item, close }: AddressedDialogProps) {
  return (
    <ClientsDialog title="Edit site" needs="can_manage_sites" onClose={close}>
      {(clients) => {
        const site = clients.flatMap(({ sites }) => sites).find(({ id }) => `${id}` === item)
        if (site === undefined) return <GoneDialog title="Edit site" what="site" onClose={close} />
        return <EditSiteForm site={site} clients={clients} close={close} />
      }}
    </ClientsDialog>
  )
}

interface AddSiteFormProps {
  clients: readonly Client[]
  clientId: string | undefined
  close: () => void
}

function AddSiteForm({ clients, clientId, close }: AddSiteFormProps) {
  const queryClient = useQueryClient()
  const given = clients.length === 1 ? clients[0] : clients.find(({ id }) => `${id}` === clientId)
  const form = useForm({
    initialValues: { client: given === undefined ? null : `${given.id}`, name: '' },
    validateInputOnBlur: true,
    validate: { client: checkClient, name: checkName },
  })
  const save = async ({ client, name }: SiteForm) => {
    await call(createSite, { body: { site: { client: Number(client), name } } })
    void queryClient.invalidateQueries({ queryKey: queryKey(listClients) })
  }
  return (
    <FormDialog
      title="Add site"
      submitLabel="Add"
      form={form}
      save={save}
      done={`Added ${form.values.name.trim()}.`}
      onClose={close}
    >
      <Stack gap="md">
        <ClientSelect clients={clients} autoFocus={given === undefined} {...form.getInputProps('client')} />
        <TextInput
          label="Name"
          placeholder="Berlin"
          maxLength={255}
          data-autofocus={given !== undefined || undefined}
          {...form.getInputProps('name')}
        />
      </Stack>
    </FormDialog>
  )
}

interface EditSiteFormProps {
  site: Site
  clients: readonly Client[]
  close: () => void
}

function EditSiteForm({ site, clients, close }: EditSiteFormProps) {
  const queryClient = useQueryClient()
  const { forceRefresh } = useRefresh()
  const form = useForm<SiteForm>({
    initialValues: { client: `${site.client}`, name: site.name },
    validateInputOnBlur: true,
    validate: { client: checkClient, name: checkName },
  })
  const moves = form.values.client !== `${site.client}`
  const save = async ({ client, name }: SiteForm) => {
    await call(editSite, { params: { id: site.id }, body: { site: { name, client: Number(client) } } })
    void queryClient.invalidateQueries({ queryKey: queryKey(listClients) })
    if (moves) await forceRefresh()
  }
  return (
    <FormDialog title={`Edit ${site.name}`} form={form} save={save} done="Site saved." onClose={close}>
      <Stack gap="md">
        <TextInput label="Name" maxLength={255} data-autofocus {...form.getInputProps('name')} />
        <ClientSelect
          clients={clients}
          description={
            moves ? moveNote(site) : 'Choose another one to move the site there with its machines.'
          }
          {...form.getInputProps('client')}
        />
      </Stack>
    </FormDialog>
  )
}

interface SiteForm extends Record<string, unknown> {
  /** Its number, as a select has it. */
  client: string | null
  name: string
}

interface ClientSelectProps {
  clients: readonly Client[]
  description?: string
  autoFocus?: boolean
  value?: string | null
}

function ClientSelect({ clients, autoFocus = false, ...rest }: ClientSelectProps) {
  return (
    <Select
      label="Client"
      placeholder="Choose a client"
      data={clients.map(({ id, name }) => ({ value: `${id}`, label: name }))}
      searchable
      allowDeselect={false}
      openOnFocus={false}
      nothingFoundMessage="No such client"
      limit={200}
      data-autofocus={autoFocus || undefined}
      {...rest}
    />
  )
}

const checkClient = (client: string | null) => (client === null ? 'Choose a client.' : null)

function moveNote({ agent_count, client_name }: Site): string {
  if (agent_count === 0) return `The site leaves ${client_name}.`
  const machines = agent_count === 1 ? 'its machine' : `its ${agent_count} machines`
  return `The site leaves ${client_name}, and takes ${machines} along.`
}
