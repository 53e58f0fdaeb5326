import '@mantine/core/styles/Switch.css'
import { ActionIcon, Anchor, Button, Switch, Text, Tooltip } from '@mantine/core'
import {
  type AlertTemplate,
  deleteAlertTemplate,
  editAlertTemplate,
  setDefaultTemplate,
} from '@muster/contract/api/alert-templates'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { IconStar, IconStarFilled } from '@tabler/icons-react'
import { GuardedDialog, LoadingState } from '../../../app/dialogs/GuardedDialog.tsx'
import { ListDialog, NewButton } from '../../../app/dialogs/ListDialog.tsx'
import { type AddressedDialogProps, useDialog, useRecordAddress } from '../../../app/dialogs/use-dialog.ts'
import { useMay } from '../../../app/api/queries.ts'
import { RemoveDialog } from '../../../app/dialogs/RemoveDialog.tsx'
import { call } from '../../../app/api/api.ts'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { EmptyState } from '../../../ui/layout/States.tsx'
import { notifyDone } from '../../../app/shell/notify.ts'
import { EditAndDelete, ListRow, RowDetail } from '../../../ui/table/ListRows.tsx'
import { WaitingNote } from '../../scripts/ScriptApproval.tsx'
import { relatedQuery, templatesQuery } from './template-form.ts'
import classes from './Templates.module.css'
import { appliedLabel, describeTemplate } from './template-labels.ts'

const TITLE = 'Alert templates'

/** The alert templates, and where they are assigned. */
export function TemplatesDialog({ close }: AddressedDialogProps) {
  return (
    <GuardedDialog title={TITLE} needs="can_list_alerttemplates" size="lg" onClose={close}>
      <Templates close={close} />
    </GuardedDialog>
  )
}

function Templates({ close }: { close: () => void }) {
  const mayManage = useMay('can_manage_alerttemplates')
  const { open } = useDialog()
  const { openRecord } = useRecordAddress('alert-templates', 'alert-template')
  const templates = useQuery(templatesQuery)
  const [removing, setRemoving] = useState<AlertTemplate>()
  const [applied, setApplied] = useState<AlertTemplate>()
  return (
    <>
      <ListDialog
        title={TITLE}
        size="lg"
        onClose={close}
        rows={templates}
        empty="No alert templates yet. A template sets recipients and actions for some machines."
        create={mayManage && <NewButton onClick={() => openRecord('new')}>New template</NewButton>}
        others={
          <Button variant="default" onClick={() => open('alert-preview')}>
            Preview
          </Button>
        }
        searchText={({ name }) => name}
      >
        {(template) => (
          <TemplateRow
            key={template.id}
            template={template}
            mayManage={mayManage}
            onEdit={() => openRecord(template.id)}
            onApplied={() => setApplied(template)}
            onRemove={() => setRemoving(template)}
          />
        )}
      </ListDialog>
      {removing !== undefined && (
        <RemoveTemplate template={removing} onClose={() => setRemoving(undefined)} />
      )}
      {applied !== undefined && <AppliedDialog template={applied} onClose={() => setApplied(undefined)} />}
    </>
  )
}

/** Asks before a template is deleted. */
function RemoveTemplate({ template, onClose }: { template: AlertTemplate; onClose: () => void }) {
  const { applied_count: count, default_template } = template
  return (
    <RemoveDialog
      title="Delete this alert template?"
      message={
        <Text>
          <bdi>{template.name}</bdi> no longer applies anywhere.
          {count > 0 && ` Assigned in ${count} ${count === 1 ? 'location' : 'locations'}.`}
          {default_template && ' You will have no default template.'}
        </Text>
      }
      remove={() => call(deleteAlertTemplate, { params: { id: template.id } })}
      done="Alert template deleted."
      stale={templatesQuery.queryKey}
      onClose={onClose}
    />
  )
}

/** Where a template is assigned. */
function AppliedDialog({ template, onClose }: { template: AlertTemplate; onClose: () => void }) {
  const { data, error, refetch } = useQuery({ ...relatedQuery(template.id), staleTime: 0 })
  const groups =
    data === undefined
      ? []
      : [
          { label: 'Policies', names: data.policies.map(({ id, name }) => [id, name] as const) },
          { label: 'Clients', names: data.clients.map(({ id, name }) => [id, name] as const) },
          {
            label: 'Sites',
            names: data.sites.map(({ id, name, client_name }) => [id, `${client_name} › ${name}`] as const),
          },
          {
            label: 'Machines',
            names: data.agents.map(
              ({ agent_id, hostname, site_name }) => [agent_id, `${hostname}, ${site_name}`] as const,
            ),
          },
        ].filter(({ names }) => names.length > 0)
  return (
    <Dialog
      title={`Where ${template.name} is applied`}
      onClose={onClose}
      zIndex={250}
      footer={
        <Button variant="default" onClick={onClose} data-autofocus>
          Close
        </Button>
      }
    >
      {data === undefined ? (
        <LoadingState error={error} onRetry={() => void refetch()} rows={3} />
      ) : groups.length === 0 && !data.default_template ? (
        <EmptyState message="Not assigned. Assign it to a policy, client, site or machine, or make it the default." />
      ) : (
        <>
          {data.default_template && (
            <p className={classes.answer}>Default: applies wherever no other template does.</p>
          )}
          {groups.map(({ label, names }) => (
            <section key={label} aria-label={label}>
              <h3 className={classes.heading}>{label}</h3>
              <ul className={classes.plain}>
                {names.map(([id, name]) => (
                  <li key={id}>
                    <bdi>{name}</bdi>
                  </li>
                ))}
              </ul>
            </section>
          ))}
        </>
      )}
    </Dialog>
  )
}

interface TemplateRowProps {
  template: AlertTemplate
  mayManage: boolean
  onEdit: () => void
  onApplied: () => void
  onRemove: () => void
}

/** A template with its switch, its actions and its assignments. */
function TemplateRow({ template, mayManage, onEdit, onApplied, onRemove }: TemplateRowProps) {
  const { name, is_active, default_template } = template
  const change = useChangeTemplate(template)
  return (
    <ListRow
      name={name}
      before={
        <Switch
          aria-label={`Enable ${name}`}
          checked={is_active}
          disabled={!mayManage || change.isPending}
          onChange={(event) => change.mutate({ is_active: event.currentTarget.checked })}
        />
      }
      beside={
        <>
          {default_template && <span className={classes.chip}>default</span>}
          {!is_active && <RowDetail>off</RowDetail>}
        </>
      }
      tall
      actions={
        mayManage ? (
          <>
            <Tooltip label={default_template ? 'Remove as default' : 'Make default'}>
              <ActionIcon
                aria-label={`Default: ${name}`}
                aria-pressed={default_template}
                onClick={() => change.mutate({ isDefault: !default_template })}
              >
                {default_template ? (
                  <IconStarFilled size={16} aria-hidden />
                ) : (
                  <IconStar size={16} stroke={1.75} aria-hidden />
                )}
              </ActionIcon>
            </Tooltip>
            <EditAndDelete name={name} onEdit={onEdit} onDelete={onRemove} />
          </>
        ) : null
      }
    >
      <RowDetail>{describeTemplate(template)}</RowDetail>
      {waitingScripts(template).map(({ id, name: script }) => (
        <div key={id} className={classes.waiting}>
          <WaitingNote scriptId={id} name={script} />
        </div>
      ))}
      <Anchor component="button" type="button" size="sm" className={classes.link} onClick={onApplied}>
        {appliedLabel(template)}
      </Anchor>
    </ListRow>
  )
}

/** Server scripts that do not run until approved. */
function waitingScripts(template: AlertTemplate): { id: number; name: string }[] {
  const { action, resolved_action } = template
  const found = new Map<number, string>()
  if (action !== null && template.action_approval === 'waiting') found.set(action, template.action_name)
  if (resolved_action !== null && template.resolved_action_approval === 'waiting')
    found.set(resolved_action, template.resolved_action_name)
  return Array.from(found, ([id, name]) => ({ id, name }))
}

function useChangeTemplate({ id, name }: AlertTemplate) {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: async (change: { is_active: boolean } | { isDefault: boolean }) => {
      if ('isDefault' in change) {
        await call(setDefaultTemplate, { body: { alert_template: change.isDefault ? id : null } })
        return change.isDefault ? `${name} is now the default.` : 'Default template removed.'
      }
      await call(editAlertTemplate, { params: { id }, body: change })
      return `${name} ${change.is_active ? 'enabled' : 'disabled'}.`
    },
    onSuccess: async (done) => {
      notifyDone(done)
      await queryClient.invalidateQueries({ queryKey: templatesQuery.queryKey })
    },
  })
}
