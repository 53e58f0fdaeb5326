import { Select, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { editAgent, getAgent } from '@muster/contract/api/agents'
import { editClient, editSite, listClients } from '@muster/contract/api/clients'
import { listAlertTemplates } from '@muster/contract/api/alert-templates'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { FormDialog } from '../../../app/dialogs/FormDialog.tsx'
import { GuardedDialog, StateDialog } from '../../../app/dialogs/GuardedDialog.tsx'
import { call } from '../../../app/api/api.ts'
import { queryKey } from '../../../app/api/query-key.ts'
import type { AddressedDialogProps } from '../../../app/dialogs/use-dialog.ts'
import { AgentDialog } from '../../agents/AgentItemDialog.tsx'
import { ClientsDialog, GoneDialog } from '../../clients/ClientsDialog.tsx'
import { templatesQuery } from './template-form.ts'

const TITLE = 'Assign alert template'

/** Assigns a template to the client, site or machine in `item`: `client-3`, `site-2`, `agent-abc`. */
export function AssignDialog({ item = '', close }: AddressedDialogProps) {
  const [type = '', ...rest] = item.split('-')
  const id = rest.join('-')
  return (
    <GuardedDialog title={TITLE} needs="can_list_alerttemplates" onClose={close}>
      {type === 'agent' ? (
        <GuardedDialog title={TITLE} needs="can_edit_agent" onClose={close}>
          <AgentDialog title={TITLE} agentId={id} onClose={close}>
            {({ agent_id, hostname, alert_template }) => (
              <AssignForm
                name={hostname}
                hint="Overrides the templates of the site and the client."
                assigned={alert_template}
                save={(next) => call(editAgent, { params: { agent_id }, body: { alert_template: next } })}
                close={close}
              />
            )}
          </AgentDialog>
        </GuardedDialog>
      ) : (
        <AssignToNode isClient={type === 'client'} id={Number(id)} close={close} />
      )}
    </GuardedDialog>
  )
}

function AssignToNode({ isClient, id, close }: { isClient: boolean; id: number; close: () => void }) {
  return (
    <ClientsDialog title={TITLE} needs={isClient ? 'can_manage_clients' : 'can_manage_sites'} onClose={close}>
      {(clients) => {
        const nodes = isClient ? clients : clients.flatMap(({ sites }) => sites)
        const node = nodes.find((one) => one.id === id)
        if (node === undefined)
          return <GoneDialog title={TITLE} what={isClient ? 'client' : 'site'} onClose={close} />
        return (
          <AssignForm
            name={node.name}
            hint={
              isClient
                ? 'Applies to machines without a template on the site or machine.'
                : 'Applies to machines without their own. Overrides the template of the client.'
            }
            assigned={node.alert_template}
            save={(alert_template) =>
              isClient
                ? call(editClient, { params: { id }, body: { client: { alert_template } } })
                : call(editSite, { params: { id }, body: { site: { alert_template } } })
            }
            close={close}
          />
        )
      }}
    </ClientsDialog>
  )
}

interface AssignFormProps {
  name: string
  hint: string
  assigned: number | null
  save: (template: number | null) => Promise<unknown>
  close: () => void
}

function AssignForm({ name, hint, assigned, save, close }: AssignFormProps) {
  const queryClient = useQueryClient()
  const { data: templates, error, refetch } = useQuery(templatesQuery)
  const form = useForm<{ template: string }>({
    initialValues: { template: assigned === null ? '' : `${assigned}` },
  })
  if (templates === undefined)
    return <StateDialog title={TITLE} onClose={close} error={error} onRetry={() => void refetch()} />
  return (
    <FormDialog
      title={`Alert template of ${name}`}
      form={form}
      save={async ({ template }) => {
        await save(template === '' ? null : Number(template))
        for (const endpoint of [listClients, getAgent, listAlertTemplates])
          void queryClient.invalidateQueries({ queryKey: queryKey(endpoint) })
      }}
      done="Alert template assigned."
      onClose={close}
    >
      <Select
        label="Alert template"
        data={[
          { value: '', label: 'None' },
          ...templates.map(({ id, name: label, is_active }) => ({
            value: `${id}`,
            label: is_active ? label : `${label} (off)`,
          })),
        ]}
        allowDeselect={false}
        data-autofocus
        {...form.getInputProps('template')}
      />
      <Text size="sm" c="dimmed" mt="sm">
        {hint}
      </Text>
    </FormDialog>
  )
}
