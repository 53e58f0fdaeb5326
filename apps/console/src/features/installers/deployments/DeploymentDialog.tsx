import '@mantine/core/styles/NumberInput.css'
import '@mantine/core/styles/Radio.css'
import { NumberInput, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { Client } from '@muster/contract/api/clients'
import { createDeployment } from '@muster/contract/api/deployments'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../../../app/api/api.ts'
import { clientsQuery } from '../../../app/api/queries.ts'
import { FormDialog } from '../../../app/dialogs/FormDialog.tsx'
import { GuardedDialog, StateDialog } from '../../../app/dialogs/GuardedDialog.tsx'
import { type AddressedDialogProps, useDialog } from '../../../app/dialogs/use-dialog.ts'
import { useSaveInto } from '../../../app/dialogs/use-save-into.ts'
import { fromLocalText, toLocalText } from '../../alerts/snooze-choices.ts'
import classes from '../InstallAgent.module.css'
import { findInitialSite, isWhole, MAX_USES, type SiteChoice } from '../install-form.ts'
import { deploymentsQuery } from './DeploymentsDialog.tsx'
import { FlagFields, PlatformField, SiteFields, TypeField } from '../InstallerFields.tsx'
import { DateTimeField } from '../../../ui/inputs/DateTimeField.tsx'
import { serverNow } from '../../../ui/layout/server-clock.ts'

const TITLE = 'New deployment'
const DEFAULT_DAYS = 30
const DAY_MS = 86_400_000

interface DeploymentForm extends SiteChoice, Record<string, unknown> {
  plat: 'windows' | 'darwin' | 'linux'
  agenttype: 'server' | 'workstation'
  /** Local time, as the input writes it. */
  expires: string
  uses: number | string
  power: boolean
  rdp: boolean
  ping: boolean
}

/** A new deployment. Closing leads to the list. */
export function DeploymentDialog({ item }: AddressedDialogProps) {
  const { open } = useDialog()
  const close = () => open('deployments')
  const { data: clients, error, refetch } = useQuery(clientsQuery)
  return (
    <GuardedDialog title={TITLE} needs="can_manage_deployments" onClose={close}>
      {clients === undefined ? (
        <StateDialog title={TITLE} onClose={close} error={error} onRetry={() => void refetch()} />
      ) : (
        <NewDeployment clients={clients} item={item} onClose={close} />
      )}
    </GuardedDialog>
  )
}

interface NewDeploymentProps {
  clients: readonly Client[]
  item: string | undefined
  onClose: () => void
}

function NewDeployment({ clients, item, onClose }: NewDeploymentProps) {
  const { node, tab } = useSearch({ strict: false })
  const saveInto = useSaveInto(deploymentsQuery.queryKey)
  const [usual] = useState(() => toLocalText(serverNow() + DEFAULT_DAYS * DAY_MS))
  const form = useForm<DeploymentForm>({
    initialValues: {
      plat: 'windows',
      ...findInitialSite(clients, item ?? node),
      agenttype: tab === 'server' ? 'server' : 'workstation',
      expires: usual,
      uses: 1000,
      power: false,
      rdp: false,
      ping: false,
    },
    validate: {
      client: (value) => (value === null ? 'Choose a client.' : null),
      site: (value) => (value === null ? 'Choose a site.' : null),
      expires: (value) => checkExpiry(fromLocalText(value), serverNow()),
      uses: (value) => (isWhole(value, MAX_USES) ? null : `Enter 1 to ${MAX_USES} machines.`),
    },
    validateInputOnBlur: true,
  })
  const save = (values: DeploymentForm) =>
    saveInto(async () => {
      const { plat, agenttype, power, rdp, ping } = values
      const isWindows = plat === 'windows'
      await call(createDeployment, {
        body: {
          site: Number(values.site),
          plat,
          agenttype,
          // Validated above.
          expires: new Date(fromLocalText(values.expires) ?? 0).toISOString(),
          uses: Number(values.uses),
          rdp: isWindows && rdp,
          ping: isWindows && ping,
          power: isWindows && power && agenttype === 'workstation',
        },
      })
    })
  return (
    <FormDialog
      title={TITLE}
      form={form}
      save={save}
      done="Deployment created."
      submitLabel="Create deployment"
      mayStayUnchanged
      onClose={onClose}
    >
      <Stack gap="md">
        <PlatformField value={form.values.plat} onChange={(plat) => form.setFieldValue('plat', plat)} />
        <SiteFields clients={clients} form={form} />
        <TypeField {...form.getInputProps('agenttype')} />
        {form.values.plat === 'windows' && (
          <FlagFields
            type={form.values.agenttype}
            propsOf={(name) => form.getInputProps(name, { type: 'checkbox' })}
          />
        )}
        <div className={classes.pair}>
          <DateTimeField
            label="Expires"
            data-autofocus={form.values.site !== null || undefined}
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
      </Stack>
    </FormDialog>
  )
}

function checkExpiry(atMs: number | undefined, nowMs: number): string | null {
  if (atMs === undefined) return 'Enter a date and a time.'
  return atMs <= nowMs ? 'Choose a time in the future.' : null
}
