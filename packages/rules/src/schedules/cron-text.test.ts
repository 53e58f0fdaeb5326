import { expect, test } from 'vitest'
import { describeCron } from './cron-text.ts'

test.each([
  ['0 3 * * 1', 'Every Monday at 03:00'],
  ['30 2 * * mon-fri', 'Monday to Friday at 02:30'],
  ['0 9,17 * * sat,sun', 'Every Saturday and Sunday at 09:00 and 17:00'],
  ['5 0 * * *', 'Every day at 00:05'],
  ['5 0 * * 0-7', 'Every day at 00:05'],
  ['@monthly', 'On the 1st of every month at 00:00'],
  ['0 4 15,1 * *', 'On the 1st and the 15th of every month at 04:00'],
  ['0 4 1 1,7 *', 'On the 1st of January and July at 04:00'],
  ['0 */6 * * *', 'Every day at 00:00, 06:00, 12:00 and 18:00'],
  ['0 */2 * * *', 'Every 2 hours'],
  ['0 * * * *', 'Every hour'],
  ['20 * * * *', 'Every hour at minute 20'],
  ['*/15 * * * *', 'Every 15 minutes'],
  ['* * * * *', 'Every minute'],
])('%s is %s', (cron, words) => {
  expect(describeCron(cron)).toBe(words)
})

// Either day, unequal steps, long lists, other months, some hours only, and no expression at all.
test.each([
  '0 3 1 * 1',
  '0 3 */2 * 1',
  '0 */5 * * *',
  '*/7 * * * *',
  '0 3 1-9 * *',
  '0 3 * 2 *',
  '*/15 8-17 * * *',
  '*/15 * * * mon',
  'tonight',
  '',
])('%s has no simple words', (cron) => {
  expect(describeCron(cron)).toBeUndefined()
})
