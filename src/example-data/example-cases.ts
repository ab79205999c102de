/**
 * The contents of the example data: a shop's support agent that answers twelve questions with two prompts. The first prompt lets the model
 * answer from memory; the second one makes it answer from the help center. No model was called: the texts are written by hand.
 */

type ExampleAnswer = {
  text: string
  /** Whether each of the two example authors finds it good. */
  ratings: readonly [boolean, boolean]
  comment?: string
}

export type ExampleCase = {
  question: string
  expected: string
  passage: string
  v1: ExampleAnswer
  v2: ExampleAnswer
  /** The order that the agent looks up. */
  order?: string
}

export const EXAMPLE_CASES: readonly ExampleCase[] = [
  {
    question: 'How long do I have to return a jacket that does not fit?',
    expected: 'Returns are free within 30 days of delivery, unworn and with tags.',
    passage: 'Returns are free within 30 days of delivery if the item is unworn and has its tags.',
    v1: { text: 'You can usually return items within two weeks.', ratings: [false, false], comment: 'It is 30 days.' },
    v2: {
      text: 'You can return it for free within 30 days of delivery, unworn and with its tags.',
      ratings: [true, true],
    },
  },
  {
    question: 'How long does shipping to Norway take?',
    expected: 'Shipping to Norway takes 5 to 7 working days, duties included.',
    passage: 'Orders to Norway arrive in 5 to 7 working days. Duties are included in the price.',
    v1: { text: 'Shipping to Norway depends on the carrier. Please check the tracking link.', ratings: [false, false] },
    v2: { text: 'Orders to Norway arrive in 5 to 7 working days. Duties are included.', ratings: [true, true] },
  },
  {
    question: 'Do gift cards expire?',
    expected: 'Gift cards do not expire.',
    passage: 'Gift cards do not expire and can be used several times until the balance is zero.',
    v1: { text: 'No, our gift cards do not expire.', ratings: [true, true] },
    v2: {
      text: 'Gift cards do not expire. You can use one several times until its balance is zero.',
      ratings: [true, true],
    },
  },
  {
    question: 'The zipper of my rain jacket broke after a year. Is that covered?',
    expected: 'Yes, zippers are covered for 2 years from the date of purchase.',
    passage: 'Zippers, seams and buckles have a warranty of 2 years from the date of purchase.',
    v1: {
      text: 'I am sorry to hear that! Wear and tear is normally not covered by a warranty.',
      ratings: [false, false],
      comment: 'Turns a customer away who has a valid claim.',
    },
    v2: {
      text: 'Yes. Zippers are covered for 2 years from the date of purchase. Send us a photo and the receipt.',
      ratings: [true, true],
    },
  },
  {
    question: 'Can I change the delivery address of an order that I placed today?',
    expected: 'Yes, until 6 pm on the day of the order, under My orders.',
    passage: 'Address and items of an order can be changed until 6 pm on the day of the order, under My orders.',
    v1: { text: 'Please contact the carrier to change the delivery address.', ratings: [false, false] },
    v2: {
      text: 'Yes, until 6 pm today: open the order under My orders and choose Change address.',
      ratings: [true, true],
    },
  },
  {
    question: 'Where is my order HP-48213?',
    expected: 'Order HP-48213 has been shipped and arrives on Thursday.',
    passage: 'The status of an order is shown under My orders.',
    order: 'HP-48213',
    v1: {
      text: 'I could not find your order. Please check the number and try again later.',
      ratings: [false, false],
      comment: 'The number is right; the lookup failed three times.',
    },
    v2: { text: 'Your order HP-48213 left our warehouse this morning and arrives on Thursday.', ratings: [true, true] },
  },
  {
    question: 'How do I wash a down jacket?',
    expected: 'Wash it at 30 °C on a gentle cycle with down detergent.',
    passage: 'Wash down jackets at 30 °C on a gentle cycle with down detergent, and dry them with two tennis balls.',
    v1: { text: 'Wash it at 30 °C on a gentle cycle with a special detergent for down.', ratings: [true, true] },
    v2: {
      text: 'Wash it at 30 °C on a gentle cycle with down detergent, and dry it with two tennis balls.',
      ratings: [true, true],
    },
  },
  {
    question: 'Do you match the price of another shop?',
    expected: 'Yes, we match the price of any shop in the country within 14 days of purchase.',
    passage: 'We match the price of any shop in the country within 14 days of your purchase.',
    v1: {
      text: 'Unfortunately we cannot match the prices of other shops.',
      ratings: [false, false],
      comment: 'We do!',
    },
    v2: {
      text: 'Yes, we match the price of any shop in the country within 14 days of your purchase.',
      ratings: [true, true],
    },
  },
  {
    question: 'What does it cost to repair a torn sleeve?',
    expected: 'A sleeve repair costs €25 and needs about two weeks.',
    passage: 'Repairs of seams and sleeves cost €25 and need about two weeks.',
    v1: {
      text: 'The price of a repair depends on the damage. It usually pays off to buy a new jacket.',
      ratings: [false, false],
    },
    v2: { text: 'Repairing a sleeve costs €25 and needs about two weeks.', ratings: [true, true] },
  },
  {
    question: 'I am between M and L. Which size should I take?',
    expected: 'Take the larger size: our jackets are cut close.',
    passage: 'Our jackets are cut close. Between two sizes, take the larger size, in particular over a fleece.',
    v1: {
      text: 'If you prefer a loose fit, take the larger size; otherwise take the smaller one.',
      ratings: [true, false],
      comment: 'Not wrong, but not our advice.',
    },
    v2: {
      text: 'Our jackets are cut close, so take the larger size, in particular if you wear it over a fleece.',
      ratings: [true, true],
    },
  },
  {
    question: 'Can I pay by invoice?',
    expected: 'Yes, private customers can pay by invoice up to €500.',
    passage: 'Private customers can pay by invoice up to €500, business customers up to €5,000.',
    v1: { text: 'We accept all major credit cards and PayPal.', ratings: [false, false] },
    v2: { text: 'Yes. Private customers can pay by invoice up to €500.', ratings: [true, true] },
  },
  {
    question: 'When can I reach you by phone on a public holiday?',
    expected: 'Our phones are closed on public holidays; write to us instead.',
    passage: 'Our phones are open on weekdays from 8 am to 6 pm.',
    v1: { text: 'You can call us on weekdays from 8 am to 6 pm.', ratings: [false, false] },
    v2: {
      text: 'Our phones are open on weekdays from 8 am to 6 pm.',
      ratings: [false, false],
      comment: 'The help center says nothing about holidays, and the answer hides that.',
    },
  },
]
