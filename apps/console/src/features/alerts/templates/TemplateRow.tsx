import { ActionIcon, Anchor, Switch, Tooltip } from '@mantine/core'
import '@mantine/core/styles/Switch.css'
import {
  type AlertTemplate,
  editAlertTemplate,
  setDefaultTemplate,
} from '@muster/contract/api/alert-templates'
import { IconStar, IconStarFilled } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../../app/api/api.ts'
import { notifyDone } from '../../../app/shell/notify.ts'
import { EditAndDelete, ListRow, RowDetail } from '../../../ui/table/ListRows.tsx'
import { WaitingNote } from '../../scripts/ScriptApproval.tsx'
import classes from './Templates.module.css'
import { appliedLabel, describeTemplate } from './template-words.ts'
import { templatesQuery } from './templates-query.ts'

interface TemplateRowProps {
  template: AlertTemplate
  mayManage: boolean
  onEdit: () => void
  onApplied: () => void
  onRemove: () => void
}

/** A template with its switch, what it has run, and where it counts. */
export function TemplateRow({ template, mayManage, onEdit, onApplied, onRemove }: TemplateRowProps) {
  const { name, is_active, default_template } = template
  const change = useChangeTemplate(template)
  return (
    <ListRow
      name={name}
      before={
        <Switch
          aria-label={`${name} is switched on`}
          checked={is_active}
          disabled={!mayManage || change.isPending}
          onChange={(event) => change.mutate({ is_active: event.currentTarget.checked })}
        />
      }
      beside={
        <>
          {default_template && <span className={classes.chip}>default</span>}
          {!is_active && <RowDetail>switched off</RowDetail>}
        </>
      }
      tall
      actions={
        mayManage ? (
          <>
            <Tooltip label={default_template ? 'No longer the default' : 'Make it the default'}>
              <ActionIcon
                aria-label={`${name} is the default`}
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

/** Scripts on the server that are not run before somebody approves them. */
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
        return change.isDefault ? `${name} is the default now.` : 'There is no default template now.'
      }
      await call(editAlertTemplate, { params: { id }, body: change })
      return `${name} is switched ${change.is_active ? 'on' : 'off'}.`
    },
    onSuccess: async (done) => {
      notifyDone(done)
      await queryClient.invalidateQueries({ queryKey: templatesQuery.queryKey })
    },
  })
}
