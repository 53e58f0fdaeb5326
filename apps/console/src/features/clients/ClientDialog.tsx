import { Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { type Client, createClient, editClient, listClients } from '@muster/contract/api/clients'
import { useQueryClient } from '@tanstack/react-query'
import { FormDialog } from '../../app/FormDialog.tsx'
import { GuardedDialog } from '../../app/GuardedDialog.tsx'
import { call } from '../../app/api.ts'
import type { AddressedDialogProps } from '../../app/dialogs.tsx'
import { queryKey } from '../../app/query-key.ts'
import { ClientsDialog, GoneDialog } from './ClientsDialog.tsx'
import { checkName } from './check-name.ts'

/** A new client with its first site. */
export function AddClientDialog({ close }: AddressedDialogProps) {
  return (
    <GuardedDialog title="Add client" needs="can_manage_clients" onClose={close}>
      <AddClientForm close={close} />
    </GuardedDialog>
  )
}

/** Renames the client that `item` names. */
export function EditClientDialog({ item, close }: AddressedDialogProps) {
  return (
    <ClientsDialog title="Edit client" needs="can_manage_clients" onClose={close}>
      {(clients) => {
        const client = clients.find(({ id }) => `${id}` === item)
        if (client === undefined) return <GoneDialog title="Edit client" what="client" onClose={close} />
        return <EditClientForm client={client} close={close} />
      }}
    </ClientsDialog>
  )
}

function AddClientForm({ close }: { close: () => void }) {
  const queryClient = useQueryClient()
  const form = useForm({
    initialValues: { name: '', site: '' },
    validateInputOnBlur: true,
    validate: { name: checkName, site: checkName },
  })
  const save = async ({ name, site }: { name: string; site: string }) => {
    await call(createClient, { body: { client: { name }, site: { name: site } } })
    void queryClient.invalidateQueries({ queryKey: queryKey(listClients) })
  }
  return (
    <FormDialog
      title="Add client"
      submitLabel="Add"
      form={form}
      save={save}
      done={`Added ${form.values.name.trim()}.`}
      onClose={close}
    >
      <Stack gap="md">
        <TextInput
          label="Name"
          placeholder="Acme Dental"
          maxLength={255}
          data-autofocus
          {...form.getInputProps('name')}
        />
        <TextInput
          label="First site"
          description="Where its machines are. More sites can be added later."
          placeholder="Headquarters"
          maxLength={255}
          {...form.getInputProps('site')}
        />
      </Stack>
    </FormDialog>
  )
}

function EditClientForm({ client, close }: { client: Client; close: () => void }) {
  const queryClient = useQueryClient()
  const form = useForm({
    initialValues: { name: client.name },
    validateInputOnBlur: true,
    validate: { name: checkName },
  })
  const save = async ({ name }: { name: string }) => {
    await call(editClient, { params: { id: client.id }, body: { client: { name } } })
    void queryClient.invalidateQueries({ queryKey: queryKey(listClients) })
  }
  return (
    <FormDialog title={`Edit ${client.name}`} form={form} save={save} done="Client saved." onClose={close}>
      <TextInput label="Name" maxLength={255} data-autofocus {...form.getInputProps('name')} />
    </FormDialog>
  )
}
