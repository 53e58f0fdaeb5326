import { Stack, Textarea } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { Alert } from '@muster/contract/api/alerts'
import { useQueryClient } from '@tanstack/react-query'
import { FormDialog } from '../../app/dialogs/FormDialog.tsx'
import { notifyDone } from '../../app/shell/notify.ts'
import { AlertNames } from './SnoozeDialog.tsx'
import classes from './AlertDialogs.module.css'
import { countAlerts } from './alert-words.ts'
import { refreshAlerts } from './alerts-query.ts'
import { describeChange, sendChange } from './send-change.ts'

interface NoteDialogProps {
  action: 'acknowledge' | 'resolve'
  alerts: readonly Alert[]
  onDone?: () => void
  onClose: () => void
}

const WORDS = {
  acknowledge: {
    verb: 'Acknowledge',
    means: 'It stays open, others see that you are on it, and it is not told again.',
    meanMany: 'They stay open, others see that you are on them, and they are not told again.',
  },
  resolve: {
    verb: 'Resolve',
    means: 'It is closed. If its cause still stands, a new alert opens with the next result.',
    meanMany: 'They are closed. Where the cause still stands, a new alert opens with the next result.',
  },
} as const

/** Acknowledges or resolves alerts, with a note if one likes. */
export function NoteDialog({ action, alerts, onDone, onClose }: NoteDialogProps) {
  const queryClient = useQueryClient()
  const form = useForm({ initialValues: { note: '' } })
  const { verb, means, meanMany } = WORDS[action]
  const isOne = alerts.length === 1
  return (
    <FormDialog
      title={isOne ? `${verb} alert` : `${verb} ${countAlerts(alerts.length)}`}
      size="sm"
      form={form}
      save={async ({ note }) => {
        const change = { action, alerts, note }
        notifyDone(describeChange(change, await sendChange(change)))
        await refreshAlerts(queryClient)
        onDone?.()
      }}
      submitLabel={verb}
      mayStayUnchanged
      onClose={onClose}
    >
      <Stack gap="md">
        <AlertNames alerts={alerts} />
        <p className={classes.means}>{isOne ? means : meanMany}</p>
        <Textarea
          label="Note"
          description="Optional; stands in the log."
          autosize
          minRows={2}
          maxRows={6}
          maxLength={4000}
          data-autofocus
          {...form.getInputProps('note')}
        />
      </Stack>
    </FormDialog>
  )
}
