import { Box, Button } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useId, useRef, useSyncExternalStore } from 'react'
import { Dialog, type DialogProps } from '../../ui/dialog/Dialog.tsx'
import { ErrorBox } from '../../ui/layout/States.tsx'
import { describeError, isAborted } from '../api/describe-error.ts'
import { fieldErrors, focusFirstError } from '../api/form-errors.ts'
import { notifyDone } from '../shell/notify.ts'
import { useLeaveQuestion } from './use-leave-question.tsx'

interface FormOptions<Values extends Record<string, unknown>> {
  form: UseFormReturnType<Values>
  /** Sends the values. Its rejection is shown in the form, at the fields that it names. */
  save: (values: Values) => Promise<unknown>
  /** Notification after saving. */
  done?: string
  /** Whether the initial values may be saved unchanged. */
  mayStayUnchanged?: boolean
}

interface FormDialogProps<Values extends Record<string, unknown>> extends FormOptions<Values> {
  title: string
  onClose: () => void
  children: ReactNode
  submitLabel?: string
  /** More buttons in the footer. */
  others?: ReactNode
  size?: DialogProps['size']
}

/** A form in a dialog. Save is enabled when a value changed and all are valid, else the reason is shown. Leaving with changes asks. */
export function FormDialog<Values extends Record<string, unknown>>(props: FormDialogProps<Values>) {
  const { title, onClose, children, submitLabel = 'Save', others, size } = props
  const { element, error, dirty, why, canSave, isPending, isSaved } = useSavedForm(props, onClose)
  const question = useLeaveQuestion(() => dirty && !isSaved())
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
            {others}
            <Button type="submit" form={element.id} disabled={!canSave} loading={isPending}>
              {submitLabel}
            </Button>
          </>
        }
      >
        <form {...element}>
          {error}
          {children}
        </form>
      </Dialog>
      {question}
    </>
  )
}

/** Sends a form, and says whether it can be sent. `onSaved` gets the values that were sent. */
export function useSavedForm<Values extends Record<string, unknown>>(
  { form, save, done, mayStayUnchanged = false }: FormOptions<Values>,
  onSaved: (values: Values) => void,
) {
  const formId = useId()
  const saved = useRef(false)
  const { mutate, isPending, error } = useMutation({
    mutationFn: save,
    meta: { errorsShown: true },
    onSuccess: (_response, values) => {
      saved.current = true
      if (done !== undefined) notifyDone(done)
      onSaved(values)
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
  const invalid = useWhyInvalid(form, formId)
  const canSave = (dirty || mayStayUnchanged) && invalid === undefined && !isPending
  return {
    element: {
      id: formId,
      noValidate: true,
      onSubmit: form.onSubmit((values) => {
        if (canSave) mutate(values)
      }, focusFirstError(form)),
    },
    error: error !== null && !isAtField && <FormError error={error} />,
    dirty,
    /** Why it cannot be sent. */
    why: invalid ?? (dirty || mayStayUnchanged ? undefined : 'No changes to save.'),
    canSave,
    isPending,
    isSaved: () => saved.current,
  }
}

/** The server's error about the whole form. A request that the user cancelled has none. */
export function FormError({ error }: { error: unknown }) {
  if (isAborted(error)) return null
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
    const label =
      field.labels?.[0]?.textContent ??
      field.getAttribute('aria-label') ??
      document.getElementById(field.getAttribute('aria-labelledby') ?? '')?.textContent ??
      ''
    return label === '' ? [] : [label.replace(/\s*\*$/, '')]
  })
}
