graph [
  directed 1
  node [
    id 0
    label "A"
  ]
  node [
    id 1
    label "my var"
  ]
  node [
    id 2
    label "q&#34;uo<te"
  ]
  node [
    id 3
    label "&#233;&#129408;"
  ]
  edge [
    source 0
    target 1
    weight 0.5
  ]
  edge [
    source 2
    target 0
    weight -1.25
  ]
]
