Creator "igraph version 1.0.0 today"
Version 1
graph
[
  directed 1
  node
  [
    id 0
    name "A"
  ]
  node
  [
    id 1
    name "my var"
  ]
  node
  [
    id 2
    name "C"
  ]
  edge
  [
    source 0
    target 1
    weight 0.5
  ]
  edge
  [
    source 1
    target 2
    weight 1
  ]
]
