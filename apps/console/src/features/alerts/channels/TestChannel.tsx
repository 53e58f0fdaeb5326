import { Button } from '@mantine/core'
import { type ChannelKind, testAlertChannel } from '@muster/contract/api/alert-channels'
import { formatDuration } from '@muster/rules/text/duration'
import { IconCircleCheck, IconCircleX, IconSend } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { call } from '../../../app/api/api.ts'
import { describeError } from '../../../app/api/describe-error.ts'
import classes from './ChannelForm.module.css'
import { type ChannelForm, toSettings } from './channel-form.ts'

/** A mail server may think for a while; the server gives up before this. */
const TIMEOUT_MS = 90_000

interface TestChannelProps {
  kind: ChannelKind
  form: ChannelForm
  /** Whose kept secrets are meant. */
  id: number | undefined
  /** Shows what is wrong at the fields, if anything is. */
  check: () => boolean
}

/** Sends a test message with what the form says now, and shows what the other side really answered. */
export function TestChannel({ kind, form, id, check }: TestChannelProps) {
  const test = useMutation({
    mutationFn: () =>
      call(
        testAlertChannel,
        { body: { ...(id === undefined ? {} : { id }), settings: toSettings(kind, form) } },
        { timeoutMs: TIMEOUT_MS },
      ),
    meta: { errorsShown: true },
  })
  return (
    <div className={classes.test}>
      <Button
        variant="default"
        leftSection={<IconSend size={16} stroke={1.75} aria-hidden />}
        loading={test.isPending}
        onClick={() => {
          if (check()) test.mutate()
          else test.reset()
        }}
      >
        Send a test message
      </Button>
      <div role="status" className={classes.answer} data-bad={isBad(test) || undefined}>
        {test.data !== undefined && (
          <>
            {test.data.ok ? (
              <IconCircleCheck size={16} stroke={1.75} aria-hidden className={classes.answerIcon} />
            ) : (
              <IconCircleX size={16} stroke={1.75} aria-hidden className={classes.answerIcon} />
            )}
            <div className={classes.answerText}>
              {test.data.ok ? 'Sent' : 'Not sent'} after {formatDuration(test.data.took_ms / 1000)}.
              {test.data.answer !== '' && (
                <span className={`${classes.said} mono`} dir="auto">
                  {test.data.answer}
                </span>
              )}
            </div>
          </>
        )}
        {test.error !== null && (
          <>
            <IconCircleX size={16} stroke={1.75} aria-hidden className={classes.answerIcon} />
            <div className={classes.answerText}>{describeError(test.error).message}</div>
          </>
        )}
      </div>
    </div>
  )
}

const isBad = ({ data, error }: { data: { ok: boolean } | undefined; error: unknown }): boolean =>
  error !== null || data?.ok === false
