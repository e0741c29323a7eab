/** What numbers and cards do in the sandbox; the guide of the sandbox says the same at length. */
export const sandboxStrings = {
  endings: {
    '000': { charge: 'Paid after a second', payout: 'Paid after a second' },
    '001': { charge: 'The customer declines', payout: 'Declined' },
    '002': { charge: 'The customer has too little', payout: 'Refused: insufficient balance' },
    '003': { charge: 'No answer until the deadline', payout: 'Pending until the deadline' },
    '004': { charge: 'Asks for the one-time password 123456', payout: 'Paid after a second' },
    '005': { charge: 'Answer lost, then found paid', payout: 'Answer lost, then found paid' },
    '006': { charge: 'The rail never gets it: fails', payout: 'The rail never gets it: fails' },
    '007': { charge: 'Paid, told twice by the rail', payout: 'Paid, told twice by the rail' },
    '008': { charge: 'Account not found', payout: 'Account not found' },
  },
  cards: {
    '4242 4242 4242 4242': 'Pays',
    '5555 5555 5555 4444': 'Pays',
    '4000 0000 0000 0002': 'Declined',
    '4000 0000 0000 9995': 'Insufficient balance',
    '4000 0027 6000 3184': 'Asks for 3-D Secure on a page',
    '5531 8866 5214 2950': 'Asks for PIN 3310, then one-time password 12345',
    '4556 0527 0417 2643': 'Asks for the billing address',
    '4000 0000 0000 0069': 'The card has expired',
  },
} as const
