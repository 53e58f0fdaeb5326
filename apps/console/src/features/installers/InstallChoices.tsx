import '@mantine/core/styles/NumberInput.css'
import '@mantine/core/styles/Radio.css'
import { Button, Checkbox, NumberInput, Radio, Select, Stack, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { createInstaller } from '@muster/contract/api/agents'
import type { Client } from '@muster/contract/api/clients'
import type { Output } from '@muster/contract/endpoint'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useId } from 'react'
import { FormError, useWhyInvalid } from '../../app/dialogs/FormDialog.tsx'
import { call } from '../../app/api/api.ts'
import { fieldErrors, focusFirstError } from '../../app/api/form-errors.ts'
import { useMay } from '../../app/api/queries.ts'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import classes from './InstallAgent.module.css'
import { type InstallForm, only, toInstallerRequest } from './install-form.ts'
import { loadMachines } from './use-arrivals.ts'

/** A created command and its site. */
export interface MadeLine extends Output<typeof createInstaller> {
  siteId: number
  siteName: string
  clientName: string
  hours: number
  foreground: boolean
  /** Machines of the site before the command existed: the others are new. Absent if the user may not see machines. */
  before: ReadonlySet<string> | undefined
}

interface InstallChoicesProps {
  title: string
  clients: readonly Client[]
  form: UseFormReturnType<InstallForm>
  onMade: (made: MadeLine) => void
  onClose: () => void
}

/** Site and type of the machine, and the limits of the command. */
export function InstallChoices({ title, clients, form, onMade, onClose }: InstallChoicesProps) {
  const formId = useId()
  const why = useWhyInvalid(form, formId)
  const mayList = useMay('can_list_agents')
  const queryClient = useQueryClient()
  const client = clients.find(({ id }) => `${id}` === form.values.client)
  const make = useMutation({
    mutationFn: async (values: InstallForm) => {
      const siteId = Number(values.site)
      // Requested before the command exists, so that every later machine is new.
      const before = mayList ? await loadMachines(queryClient, siteId) : undefined
      const line = await call(createInstaller, { body: toInstallerRequest(values) })
      const siteName = client?.sites.find(({ id }) => id === siteId)?.name ?? ''
      const clientName = client?.name ?? ''
      const hours = Number(values.expires)
      return { ...line, siteId, siteName, clientName, hours, foreground: values.own_folder, before }
    },
    meta: { errorsShown: true },
    onSuccess: onMade,
    onError: (error) => form.setErrors(fieldErrors(error, form.getValues())),
  })
  return (
    <Dialog
      title={title}
      onClose={onClose}
      why={why}
      footer={
        <>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            type="submit"
            form={formId}
            disabled={why !== undefined}
            loading={make.isPending}
            data-autofocus={(client !== undefined && form.values.site !== null) || undefined}
          >
            Create install command
          </Button>
        </>
      }
    >
      <form
        id={formId}
        noValidate
        onSubmit={form.onSubmit((values) => make.mutate(values), focusFirstError(form))}
      >
        <Stack gap="md">
          {make.error !== null && <FormError error={make.error} />}
          <SiteFields clients={clients} client={client} form={form} />
          <Radio.Group label="Type" {...form.getInputProps('agenttype')}>
            <div className={classes.line}>
              <Radio size="xs" value="server" label="Server" />
              <Radio size="xs" value="workstation" label="Workstation" />
            </div>
          </Radio.Group>
          <p className={classes.note}>Requires Linux with curl. Windows and macOS are not supported yet.</p>
          <div className={classes.pair}>
            <NumberInput
              label="Expires after (hours)"
              min={1}
              allowDecimal={false}
              allowNegative={false}
              {...form.getInputProps('expires')}
            />
            <NumberInput
              label="Maximum machines"
              min={1}
              allowDecimal={false}
              allowNegative={false}
              {...form.getInputProps('uses')}
            />
          </div>
          <Checkbox
            label="Test mode: run in the foreground from a separate folder"
            description="For a trial or a second agent on one machine. Needs no root."
            {...form.getInputProps('own_folder', { type: 'checkbox' })}
          />
          {form.values.own_folder && (
            <TextInput
              label="Data folder"
              placeholder="/home/ada/muster-agent"
              maxLength={1000}
              classNames={{ input: 'mono' }}
              spellCheck={false}
              {...form.getInputProps('data_folder')}
            />
          )}
        </Stack>
      </form>
    </Dialog>
  )
}

interface SiteFieldsProps {
  clients: readonly Client[]
  client: Client | undefined
  form: UseFormReturnType<InstallForm>
}

function SiteFields({ clients, client, form }: SiteFieldsProps) {
  const clientProps = form.getInputProps('client')
  const needsSite = client !== undefined && form.values.site === null
  return (
    <div className={classes.pair}>
      <Select
        label="Client"
        placeholder="Choose a client"
        data={clients.map(({ id, name }) => ({ value: `${id}`, label: name }))}
        searchable
        allowDeselect={false}
        nothingFoundMessage="No matching client"
        limit={200}
        data-autofocus={client === undefined || undefined}
        {...clientProps}
        onChange={(id: string | null) => {
          const site = only(clients.find((other) => `${other.id}` === id)?.sites ?? [])
          form.setValues({ client: id, site: site === undefined ? null : `${site.id}` })
        }}
      />
      <Select
        label="Site"
        placeholder={client === undefined ? 'Choose a client first' : 'Choose a site'}
        data={(client?.sites ?? []).map(({ id, name }) => ({ value: `${id}`, label: name }))}
        searchable
        allowDeselect={false}
        disabled={client === undefined}
        nothingFoundMessage="No matching site"
        limit={200}
        data-autofocus={needsSite || undefined}
        {...form.getInputProps('site')}
      />
    </div>
  )
}
