import { Select } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { Client } from '@muster/contract/api/clients'
import classes from './InstallAgent.module.css'
import { only, type SiteChoice } from './install-form.ts'

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
