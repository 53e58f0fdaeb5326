import '@mantine/dates/styles.css'
import { ActionIcon, Popover, TextInput, type TextInputProps } from '@mantine/core'
import { DatePicker } from '@mantine/dates'
import { IconCalendar } from '@tabler/icons-react'
import { use, useState } from 'react'
import { DateFormat } from '../layout/date-format-context.ts'
import { formatLocal, parseLocal } from './local-date.ts'

interface DateTimeFieldProps extends Omit<TextInputProps, 'value' | 'defaultValue' | 'onChange' | 'type'> {
  /** Local time such as `2026-11-24T09:41`, or a day such as `2026-11-24`; empty = none. Other text is invalid. */
  value?: string
  onChange: (value: string) => void
  /** Only days, without a time of day. */
  isDay?: boolean
}

/** The time of a day that was chosen in the calendar. */
const USUAL_TIME = '09:00'

/** A date with a time in the user's format, typed or chosen in a calendar. ISO dates and `HH:mm` of today are read too. */
export function DateTimeField({ value = '', onChange, isDay = false, onBlur, ...props }: DateTimeFieldProps) {
  const format = use(DateFormat)
  const [typed, setTyped] = useState<string>()
  const [isOpen, setOpen] = useState(false)
  const day = value.slice(0, 10)
  return (
    <TextInput
      autoComplete="off"
      spellCheck={false}
      placeholder={formatLocal(isDay ? '2026-11-24' : '2026-11-24T09:41', format)}
      {...props}
      value={typed ?? formatLocal(value, format)}
      onChange={({ currentTarget: { value: text } }) => {
        setTyped(text)
        onChange(parseLocal(text, { format, isDay }) ?? text)
      }}
      onBlur={(event) => {
        setTyped(undefined)
        onBlur?.(event)
      }}
      rightSection={
        <Popover opened={isOpen} onChange={setOpen} position="bottom-end" trapFocus returnFocus>
          <Popover.Target>
            <ActionIcon
              aria-label="Open calendar"
              disabled={props.disabled === true}
              onClick={() => setOpen(!isOpen)}
            >
              <IconCalendar size={16} stroke={1.75} />
            </ActionIcon>
          </Popover.Target>
          <Popover.Dropdown>
            <DatePicker
              weekendDays={[]}
              value={/^\d{4}-\d{2}-\d{2}$/.test(day) ? day : null}
              onChange={(chosen) => {
                setOpen(false)
                if (chosen !== null)
                  onChange(isDay ? chosen : `${chosen}T${value.slice(11, 16) || USUAL_TIME}`)
              }}
            />
          </Popover.Dropdown>
        </Popover>
      }
    />
  )
}
