import { Alert, Button, Stack } from '@mantine/core'
import '@mantine/core/styles/Alert.css'
import { previewRole, type RolePreview } from '@muster/contract/api/roles'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { query } from '../../../app/api/api.ts'
import { LoadingState } from '../../../app/dialogs/GuardedDialog.tsx'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import classes from './Roles.module.css'
import { type RoleForm, writeRole } from './role-form.ts'

/** The visible objects, rights and risks of a role with unsaved values. */
export function RolePreviewDialog({ role, onClose }: { role: RoleForm; onClose: () => void }) {
  const preview = query(previewRole, { body: writeRole(role) })
  const { data, error, refetch } = useQuery({ ...preview, staleTime: 0, gcTime: 0 })
  return (
    <Dialog
      title={`Preview of ${role.name.trim() === '' ? 'the new role' : role.name}`}
      size="lg"
      onClose={onClose}
      footer={
        <Button variant="default" onClick={onClose} data-autofocus>
          Close
        </Button>
      }
    >
      {data === undefined ? (
        <LoadingState error={error} onRetry={() => void refetch()} />
      ) : (
        <Preview preview={data} />
      )}
    </Dialog>
  )
}

function Preview({ preview }: { preview: RolePreview }) {
  const { machines, clients, sites, groups, risks, conditions } = preview
  const can = groups.filter((group) => group.can.length > 0)
  const cannot = groups.filter((group) => group.cannot.length > 0)
  return (
    // Focusable, so that the keyboard scrolls it.
    <section aria-label="Preview" tabIndex={0}>
      <Stack gap="lg">
        <section aria-label="Sees">
          <h3 className={classes.part}>Sees</h3>
          <ul className={classes.facts}>
            <li>
              <Seen seen={clients} one="client" many="clients" needs="See clients" />
            </li>
            <li>{count(sites, 'site', 'sites')}</li>
            <li>
              <Seen seen={machines} one="machine" many="machines" needs="See machines" />
            </li>
          </ul>
        </section>
        {conditions.length > 0 && (
          <section aria-label="Conditions">
            <h3 className={classes.part}>Conditions</h3>
            <ul className={classes.facts}>
              {conditions.map((condition) => (
                <li key={condition}>{condition}</li>
              ))}
            </ul>
          </section>
        )}
        {risks.length > 0 && (
          <Alert
            color="warning"
            icon={<IconAlertTriangle size={16} stroke={1.75} aria-hidden />}
            title={count(risks.length, 'dangerous permission', 'dangerous permissions')}
          >
            <ul aria-label="Dangerous permissions" className={classes.facts}>
              {risks.map(({ permission, label, text }) => (
                <li key={permission}>
                  <strong>{label}</strong>: {text}
                </li>
              ))}
            </ul>
          </Alert>
        )}
        <section aria-label="Can do">
          <h3 className={classes.part}>Can do</h3>
          {can.length === 0 && <p className={classes.note}>Nothing. No permissions are set.</p>}
          <div className={classes.rights}>
            {can.map(({ label, can: rights }) => (
              <div key={label}>
                <strong>{label}</strong>
                <ul aria-label={label}>
                  {rights.map(({ permission, text }) => (
                    <li key={permission}>{text}</li>
                  ))}
                </ul>
              </div>
            ))}
          </div>
        </section>
        {cannot.length > 0 && (
          <section aria-label="Cannot do">
            <h3 className={classes.part}>Cannot do</h3>
            <div className={classes.rights}>
              {cannot.map(({ label, cannot: rights }) => (
                <div key={label}>
                  <strong>{label}</strong>
                  <ul aria-label={label}>
                    {rights.map(({ permission, label: right, reason }) => (
                      <li key={permission}>
                        {right}
                        {reason !== null && <span className={classes.reason}>: {reason}</span>}
                      </li>
                    ))}
                  </ul>
                </div>
              ))}
            </div>
          </section>
        )}
      </Stack>
    </section>
  )
}

interface SeenProps {
  seen: RolePreview['machines']
  one: string
  many: string
  /** The permission that lists them. */
  needs: string
}

function Seen({ seen: { total, names, may_list }, one, many, needs }: SeenProps) {
  const rest = total - names.length
  return (
    <>
      {count(total, one, many)}
      {names.length > 0 && ': '}
      <bdi>{names.join(', ')}</bdi>
      {rest > 0 && ` and ${rest.toLocaleString('en')} more`}
      {!may_list && <span className={classes.reason}>. Not listed without “{needs}”.</span>}
    </>
  )
}

function count(number: number, one: string, many: string): string {
  return `${number.toLocaleString('en')} ${number === 1 ? one : many}`
}
