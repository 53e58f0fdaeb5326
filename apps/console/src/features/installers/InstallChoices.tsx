import '@mantine/core/styles/NumberInput.css'
import '@mantine/core/styles/Radio.css'
import { Button, Checkbox, NumberInput, Radio, Stack, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { createInstaller } from '@muster/contract/api/agents'
import type { Client } from '@muster/contract/api/clients'
import type { Output } from '@muster/contract/endpoint'
import type { Platform } from '@muster/contract/fields'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useId } from 'react'
import { FormError, useWhyInvalid } from '../../app/dialogs/FormDialog.tsx'
import { call } from '../../app/api/api.ts'
import { fieldErrors, focusFirstError } from '../../app/api/form-errors.ts'
import { useMay } from '../../app/api/queries.ts'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import classes from './InstallAgent.module.css'
import {
  describeWay,
  type InstallForm,
  type InstallWay,
  maySetFlags,
  mayUseOwnFolder,
  toInstallerRequest,
  WAYS,
} from './install-form.ts'
import { loadMachines } from './use-arrivals.ts'
import { ServerAddress } from './ServerAddress.tsx'
import { FlagFields, PlatformField, SiteFields, TypeField } from './InstallerFields.tsx'

/** A created command and its site. */
export interface MadeLine extends Output<typeof createInstaller> {
  siteId: number
  siteName: string
  clientName: string
  hours: number
  plat: Platform
  method: InstallWay
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
      const { plat, method, own_folder } = values
      const foreground = own_folder && mayUseOwnFolder(values)
      return { ...line, siteId, siteName, clientName, hours, plat, method, foreground, before }
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
          <ServerAddress />
          <PlatformFields form={form} />
          <SiteFields clients={clients} form={form} />
          <TypeField {...form.getInputProps('agenttype')} />
          {maySetFlags(form.values) && (
            <FlagFields
              type={form.values.agenttype}
              propsOf={(name) => form.getInputProps(name, { type: 'checkbox' })}
            />
          )}
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
          {mayUseOwnFolder(form.values) && <FolderFields form={form} />}
        </Stack>
      </form>
    </Dialog>
  )
}

/** The platform first, then the way to install on it, and the processor of a package. */
function PlatformFields({ form }: { form: UseFormReturnType<InstallForm> }) {
  const { plat, method } = form.values
  return (
    <>
      <PlatformField value={plat} onChange={(chosen) => form.setValues({ plat: chosen, method: 'line' })} />
      <Radio.Group
        label="Method"
        description={describeWay({ plat, method })}
        {...form.getInputProps('method')}
      >
        <div className={classes.line}>
          {WAYS[plat].map(({ value, label }) => (
            <Radio key={value} size="xs" value={value} label={label} />
          ))}
        </div>
      </Radio.Group>
      {method !== 'line' && (
        <Radio.Group label="Processor" {...form.getInputProps('goarch')}>
          <div className={classes.line}>
            <Radio size="xs" value="amd64" label={plat === 'darwin' ? 'Intel' : 'x64'} />
            <Radio size="xs" value="arm64" label={plat === 'darwin' ? 'Apple silicon' : 'ARM64'} />
          </div>
        </Radio.Group>
      )}
    </>
  )
}

function FolderFields({ form }: { form: UseFormReturnType<InstallForm> }) {
  return (
    <>
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
    </>
  )
}
