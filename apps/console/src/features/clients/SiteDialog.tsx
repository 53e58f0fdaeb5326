import { Select, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { type Client, createSite, editSite, listClients, type Site } from '@muster/contract/api/clients'
import type { CustomField } from '@muster/contract/api/custom-fields'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { NodeName } from '@muster/contract/fields'
import { FormDialog } from '../../app/dialogs/FormDialog.tsx'
import { call } from '../../app/api/api.ts'
import { queryKey } from '../../app/api/query-key.ts'
import type { AddressedDialogProps } from '../../app/dialogs/use-dialog.ts'
import { useRefresh } from '../../app/shell/use-refresh.ts'
import { FieldInputs, WithFields } from '../custom-fields/FieldInputs.tsx'
import {
  changedBody,
  checkInputs,
  type FieldInputs as Inputs,
  startInputs,
} from '../custom-fields/field-values.ts'
import { ClientsDialog, GoneDialog } from './ClientsDialog.tsx'

/** Creates a site; `item` is its client. */
export function AddSiteDialog({ item, close }: AddressedDialogProps) {
  return (
    <ClientsDialog title="Add site" needs="can_manage_sites" onClose={close}>
      {(clients) => (
        <WithFields model="site" title="Add site" onClose={close}>
          {(fields) => <AddSiteForm clients={clients} clientId={item} fields={fields} close={close} />}
        </WithFields>
      )}
    </ClientsDialog>
  )
}

/** Edits the site in `item`, or moves it with its machines to another client. */
export function EditSiteDialog({ item, close }: AddressedDialogProps) {
  return (
    <ClientsDialog title="Edit site" needs="can_manage_sites" onClose={close}>
      {(clients) => {
        const site = clients.flatMap(({ sites }) => sites).find(({ id }) => `${id}` === item)
        if (site === undefined) return <GoneDialog title="Edit site" what="site" onClose={close} />
        return (
          <WithFields model="site" title="Edit site" onClose={close}>
            {(fields) => <EditSiteForm site={site} clients={clients} fields={fields} close={close} />}
          </WithFields>
        )
      }}
    </ClientsDialog>
  )
}

interface AddSiteFormProps {
  clients: readonly Client[]
  clientId: string | undefined
  fields: readonly CustomField[]
  close: () => void
}

function AddSiteForm({ clients, clientId, fields, close }: AddSiteFormProps) {
  const queryClient = useQueryClient()
  const [start] = useState(() => startInputs(fields, []))
  const given = clients.length === 1 ? clients[0] : clients.find(({ id }) => `${id}` === clientId)
  const form = useForm<SiteForm>({
    initialValues: { client: given === undefined ? null : `${given.id}`, name: '', fields: start },
    validateInputOnBlur: true,
    validate: (values) => checkSite(fields, values, start),
  })
  const save = async ({ client, name, fields: inputs }: SiteForm) => {
    const site = { client: Number(client), name }
    await call(createSite, { body: { site, ...changedBody(fields, inputs, start) } })
    void queryClient.invalidateQueries({ queryKey: queryKey(listClients) })
  }
  return (
    <FormDialog
      title="Add site"
      submitLabel="Add site"
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
        <FieldInputs fields={fields} form={form} />
      </Stack>
    </FormDialog>
  )
}

interface EditSiteFormProps {
  site: Site
  clients: readonly Client[]
  fields: readonly CustomField[]
  close: () => void
}

function EditSiteForm({ site, clients, fields, close }: EditSiteFormProps) {
  const queryClient = useQueryClient()
  const [start] = useState(() => startInputs(fields, site.custom_fields))
  const { forceRefresh } = useRefresh()
  const form = useForm<SiteForm>({
    initialValues: { client: `${site.client}`, name: site.name, fields: start },
    validateInputOnBlur: true,
    validate: (values) => checkSite(fields, values, start),
  })
  const moves = form.values.client !== `${site.client}`
  const save = async ({ client, name, fields: inputs }: SiteForm) => {
    const body = { site: { name, client: Number(client) }, ...changedBody(fields, inputs, start) }
    await call(editSite, { params: { id: site.id }, body })
    void queryClient.invalidateQueries({ queryKey: queryKey(listClients) })
    if (moves) await forceRefresh()
  }
  return (
    <FormDialog title={`Edit ${site.name}`} form={form} save={save} done="Site saved." onClose={close}>
      <Stack gap="md">
        <TextInput label="Name" maxLength={255} data-autofocus {...form.getInputProps('name')} />
        <ClientSelect
          clients={clients}
          description={moves ? moveNote(site) : 'Choose another client to move the site with its machines.'}
          {...form.getInputProps('client')}
        />
        <FieldInputs fields={fields} form={form} />
      </Stack>
    </FormDialog>
  )
}

interface SiteForm extends Record<string, unknown> {
  /** Client id, as a string for the select. */
  client: string | null
  name: string
  fields: Inputs
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
      nothingFoundMessage="No matching client"
      limit={200}
      data-autofocus={autoFocus || undefined}
      {...rest}
    />
  )
}

function checkSite(fields: readonly CustomField[], values: SiteForm, start: Inputs) {
  return {
    client: checkClient(values.client),
    name: checkName(values.name),
    ...checkInputs(fields, values.fields, start),
  }
}

const checkClient = (client: string | null) => (client === null ? 'Choose a client.' : null)

function moveNote({ agent_count, client_name }: Site): string {
  if (agent_count === 0) return `Moves the site out of ${client_name}.`
  const machines = agent_count === 1 ? 'its machine' : `its ${agent_count} machines`
  return `Moves the site and ${machines} out of ${client_name}.`
}

/** The error of a client's or site's name; null if valid. */
export const checkName = (name: string): string | null =>
  NodeName.safeParse(name).error?.issues[0]?.message ?? null
