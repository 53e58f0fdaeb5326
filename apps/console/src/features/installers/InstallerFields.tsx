import '@mantine/core/styles/Radio.css'
import '@mantine/core/styles/FloatingIndicator.css'
import '@mantine/core/styles/SegmentedControl.css'
import { Checkbox, type CheckboxProps, Radio, SegmentedControl, Select } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { Client } from '@muster/contract/api/clients'
import type { InstallFlags } from '@muster/contract/api/installers'
import type { Platform } from '@muster/contract/fields'
import { useId } from 'react'
import classes from './InstallAgent.module.css'
import { only, PLATFORMS, type SiteChoice } from './install-form.ts'

// The fields that an install command and a deployment have in common.

interface PlatformFieldProps {
  value: Platform
  onChange: (platform: Platform) => void
}

export function PlatformField({ value, onChange }: PlatformFieldProps) {
  const id = useId()
  return (
    <div>
      <span id={id} className={classes.label}>
        Platform
      </span>
      <SegmentedControl
        fullWidth
        aria-labelledby={id}
        data={[...PLATFORMS]}
        value={value}
        onChange={(chosen) => {
          const platform = PLATFORMS.find((one) => one.value === chosen)
          if (platform !== undefined) onChange(platform.value)
        }}
      />
    </div>
  )
}

interface SiteFieldsProps<Values extends SiteChoice & Record<string, unknown>> {
  clients: readonly Client[]
  form: UseFormReturnType<Values>
}

/** A client and one of its sites. Its only site needs no choice. */
export function SiteFields<Values extends SiteChoice & Record<string, unknown>>({
  clients,
  form,
}: SiteFieldsProps<Values>) {
  const client = clients.find(({ id }) => `${id}` === form.values.client)
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
          // Both are values of every form with a site.
          form.setValues({ client: id, site: site === undefined ? null : `${site.id}` } as Partial<Values>)
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

interface FlagFieldsProps {
  type: 'server' | 'workstation'
  propsOf: (name: keyof InstallFlags) => CheckboxProps
}

/** Settings of Windows that the installer changes besides the agent. A server does not sleep anyway. */
export function FlagFields({ type, propsOf }: FlagFieldsProps) {
  return (
    <fieldset className={classes.flags}>
      <legend className={classes.label}>Windows settings</legend>
      <Checkbox size="xs" label="Allow Remote Desktop" {...propsOf('rdp')} />
      <Checkbox size="xs" label="Answer pings" {...propsOf('ping')} />
      {type === 'workstation' && (
        <Checkbox size="xs" label="Never sleep on mains power" {...propsOf('power')} />
      )}
    </fieldset>
  )
}

type InputProps = ReturnType<UseFormReturnType<Record<string, unknown>>['getInputProps']>

export function TypeField(props: InputProps) {
  return (
    <Radio.Group label="Type" {...props}>
      <div className={classes.line}>
        <Radio size="xs" value="server" label="Server" />
        <Radio size="xs" value="workstation" label="Workstation" />
      </div>
    </Radio.Group>
  )
}
