import '@mantine/core/styles/SimpleGrid.css'
import { SimpleGrid, Stack } from '@mantine/core'
import { useForm, type UseFormReturnType } from '@mantine/form'
import type { Check, CheckType } from '@muster/contract/api/checks'
import { THRESHOLD_MESSAGE_MS } from '@muster/rules/checks/thresholds'
import type { ReactNode } from 'react'
import { formatDuration } from '@muster/rules/text/units'
import { FormDialog } from '../../app/dialogs/FormDialog.tsx'
import { notify } from '../../app/shell/notify.ts'
import { CheckFields } from './fields/CheckFields.tsx'
import { type CheckTarget, WholeNumber } from './fields/FieldParts.tsx'
import { checkCheckForm, type CheckForm, thresholdMessage } from './check-form.ts'

interface CheckFormDialogProps {
  title: string
  agent: CheckTarget
  type: CheckType
  /** The one that is edited. */
  check?: Check
  start: CheckForm
  isNew?: boolean
  save: (form: CheckForm) => Promise<void>
  done?: string
  close: () => void
  /** Below the fields: the dependency of the check. */
  dependsOn: (form: UseFormReturnType<CheckForm>) => ReactNode
  /** Above the fields. */
  notice?: (form: UseFormReturnType<CheckForm>) => ReactNode
}

/** The form of a check of any type. */
export function CheckFormDialog(props: CheckFormDialogProps) {
  const { title, agent, type, check, start, isNew = false, save, done, close, dependsOn, notice } = props
  const form = useForm<CheckForm>({
    initialValues: start,
    validate: (values) => checkCheckForm(type, values),
    validateInputOnBlur: true,
  })
  const sayThresholds = () => {
    const message = thresholdMessage(type, form.getValues())
    if (message === undefined) return
    form.setFieldError('warning_threshold', message)
    notify(message, { tone: 'negative', preset: 'feedback', timeoutMs: THRESHOLD_MESSAGE_MS })
  }
  return (
    <FormDialog
      title={title}
      size="lg"
      form={form}
      save={save}
      {...(done === undefined ? {} : { done })}
      onClose={close}
      mayStayUnchanged={isNew}
      submitLabel={isNew ? 'Add check' : 'Save'}
    >
      {notice?.(form)}
      <Stack gap="md">
        <CheckFields agent={agent} check={check} type={type} form={form} onLeaveThresholds={sayThresholds} />
        <ScheduleFields agent={agent} form={form} />
        {dependsOn(form)}
      </Stack>
    </FormDialog>
  )
}

interface ScheduleFieldsProps {
  agent: CheckTarget
  form: UseFormReturnType<CheckForm>
}

/** The interval of a check, and the number of failures before an alert. */
function ScheduleFields({ agent, form }: ScheduleFieldsProps) {
  const usual =
    agent.check_interval === null
      ? 'Own interval of each machine'
      : `Default (${formatDuration(agent.check_interval)})`
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
      <WholeNumber form={form} name="run_interval" placeholder={usual} suffix=" s" />
      <WholeNumber form={form} name="fails_b4_alert" />
    </SimpleGrid>
  )
}
