import { Box, Button } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useId, useRef, useSyncExternalStore } from 'react'
import { Dialog, type DialogProps } from '../../ui/dialog/Dialog.tsx'
import { ErrorBox } from '../../ui/layout/States.tsx'
import { describeError } from '../api/describe-error.ts'
import { fieldErrors, focusFirstError } from '../api/form-errors.ts'
import { notifyDone } from '../shell/notify.ts'
import { useLeaveQuestion } from './use-leave-question.tsx'

interface FormDialogProps<Values extends Record<string, unknown>> {
  title: string
  form: UseFormReturnType<Values>
  /** Sends the values. Its rejection is shown in the dialog, at the fields that it names. */
  save: (values: Values) => Promise<unknown>
  onClose: () => void
  children: ReactNode
  submitLabel?: string
  /** Notification after saving. */
  done?: string
  size?: DialogProps['size']
  /** Whether the initial values may be saved unchanged. */
  mayStayUnchanged?: boolean
}

/** A form in a dialog. Save is enabled when a value changed and all are valid, else the reason is shown. Leaving with changes asks. */
export function FormDialog<Values extends Record<string, unknown>>(props: FormDialogProps<Values>) {
  const {
    title,
    form,
    save,
    onClose,
    children,
    submitLabel = 'Save',
    done,
    size,
    mayStayUnchanged = false,
  } = props
  const formId = useId()
  const saved = useRef(false)
  const { mutate, isPending, error } = useMutation({
    mutationFn: save,
    meta: { errorsShown: true },
    onSuccess: () => {
      saved.current = true
      if (done !== undefined) notifyDone(done)
      onClose()
    },
    onError: (failure) => {
      const errors = fieldErrors(failure, form.getValues())
      form.setErrors(errors)
      focusFirstError(form)(errors)
    },
  })
  // Errors already shown at their fields are not repeated.
  const isAtField = Object.values(fieldErrors(error, form.getValues())).includes(describeError(error).message)
  const dirty = form.isDirty()
  const question = useLeaveQuestion(() => dirty && !saved.current)
  const invalid = useWhyInvalid(form, formId)
  const why = invalid ?? (dirty || mayStayUnchanged ? undefined : 'No changes to save.')
  const canSave = (dirty || mayStayUnchanged) && invalid === undefined && !isPending
  return (
    <>
      <Dialog
        title={title}
        onClose={onClose}
        {...(size === undefined ? {} : { size })}
        persistent={dirty}
        why={why}
        footer={
          <>
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" form={formId} disabled={!canSave} loading={isPending}>
              {submitLabel}
            </Button>
          </>
        }
      >
        <form
          id={formId}
          noValidate
          onSubmit={form.onSubmit((values) => {
            if (canSave) mutate(values)
          }, focusFirstError(form))}
        >
          {error !== null && !isAtField && <FormError error={error} />}
          {children}
        </form>
      </Dialog>
      {question}
    </>
  )
}

/** The server's error about the whole form. */
export function FormError({ error }: { error: unknown }) {
  return (
    <Box mb="md">
      <ErrorBox {...describeError(error)} />
    </Box>
  )
}

/** Why the form cannot be sent, with the labels of the invalid fields; undefined when it is valid. */
export function useWhyInvalid<Values extends Record<string, unknown>>(
  form: UseFormReturnType<Values>,
  formId: string,
): string | undefined {
  const isValid = form.isValid()
  // Only the document knows the labels and the visible fields. React reads it again after each render.
  const labels = useSyncExternalStore(subscribe, () =>
    isValid ? '' : invalidLabels(form, formId).join(', '),
  )
  if (isValid) return undefined
  return labels === '' ? 'Some fields are missing or invalid.' : `Missing or invalid: ${labels}`
}

/** Labels change with a render only. */
const subscribe = () => () => undefined

function invalidLabels<Values extends Record<string, unknown>>(
  form: UseFormReturnType<Values>,
  formId: string,
): string[] {
  const fields = document.getElementById(formId)?.querySelectorAll<HTMLInputElement>('[data-path]') ?? []
  return Array.from(fields).flatMap((field) => {
    // Paths of the form's own values.
    if (form.isValid(field.dataset.path as never)) return []
    const label = field.labels?.[0]?.textContent ?? field.getAttribute('aria-label')
    return label === null || label === '' ? [] : [label.replace(/\s*\*$/, '')]
  })
}
